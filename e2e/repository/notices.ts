// Writes THIRD-PARTY-NOTICES.md from the installed packages.
import { writeFileSync } from "node:fs";
import { readThirdPartyPackages } from "./notices/packages";
import { renderNotices } from "./notices/render";

writeFileSync("THIRD-PARTY-NOTICES.md", renderNotices(readThirdPartyPackages(".")));

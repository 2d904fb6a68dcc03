import { CommandError } from "../run-command";

/** What the operator has to decide or mend; the message says what and how. Nothing was changed because of it. */
export class CopyRefused extends CommandError {
  override readonly exitCode = 3;
}

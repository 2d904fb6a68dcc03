import { chainName, opensText } from "~/gate/page/kinds/key-words";
import type { PageKinds } from "~/gate/page/kinds/page-kind";
import type { PublicSettings } from "~/platform/config/public-settings";
import { Facts } from "~/ui/facts";

/** For gates with several kinds of keys. */
export function KeyKinds({ kinds, settings }: { kinds: PageKinds; settings: PublicSettings }) {
  return (
    <ul className="stack key-kinds">
      {kinds.map(({ name, title, standard, chainId, contract, opens, get }) => (
        <li key={name}>
          <h4>{title}</h4>
          <Facts
            rows={{
              Opens: opensText(opens),
              Contract: contract && <code>{contract}</code>,
              Chain: contract && chainName(chainId, settings),
              "Held by":
                standard === "membership" ? "wallets that have what it asks for; the gate lists it" : null,
              "Get one": get && (
                <a href={get.url} rel="noopener noreferrer">
                  {get.text}
                </a>
              ),
            }}
          />
        </li>
      ))}
    </ul>
  );
}

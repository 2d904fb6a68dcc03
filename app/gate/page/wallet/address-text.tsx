import { shortAddress } from "./short-address";

/** Short enough to be compared at a glance, and never broken over two lines; the whole of it on pointing. */
export function AddressText({ address }: { address: string }) {
  return (
    <code className="address" title={address}>
      {shortAddress(address)}
    </code>
  );
}

export function AddressText({ address }: { address: string }) {
  return (
    <code className="address" title={address}>
      {shortAddress(address)}
    </code>
  );
}

/** `0x70997970C51812dc3A010C7d01b50e0d17dc79C8` to `0x7099…79C8`, for the eye; never for comparing. */
export function shortAddress(address: string): string {
  return address.length > 12 ? `${address.slice(0, 6)}…${address.slice(-4)}` : address;
}

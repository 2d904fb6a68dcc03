export function AddressText({ address }: { address: string }) {
  return (
    <code className="address" title={address}>
      {shortAddress(address)}
    </code>
  );
}

/** `0x7099…79C8`, for display only. */
export function shortAddress(address: string): string {
  return address.length > 12 ? `${address.slice(0, 6)}…${address.slice(-4)}` : address;
}

export function roomHeading(tokenId: string): string {
  return `You are in, with key #${tokenId}`;
}

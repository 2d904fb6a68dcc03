/** A mistyped address is a plain 404, and no error in the log. */
export function loader(): never {
  throw new Response(null, { status: 404 });
}

/** Never rendered. Makes this a page, so that the root's error page is shown. */
export default function NotFound() {
  return null;
}

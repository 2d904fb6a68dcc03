/** Answers every address without a route, so that a mistyped one is a plain 404 and no error in the log. */
export function loader(): never {
  throw new Response(null, { status: 404 });
}

/** Makes this a page, so that the root's error page is shown; never rendered itself. */
export default function NotFound() {
  return null;
}

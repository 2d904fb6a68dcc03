import { useLayoutEffect, useRef } from "react";

type SafeFragmentProps = { className: string; fragment: () => DocumentFragment };

/** A place for sanitised nodes; `fragment` has to be stable, each new one replaces what was there. */
export function SafeFragment({ className, fragment }: SafeFragmentProps) {
  const place = useRef<HTMLDivElement>(null);

  useLayoutEffect(() => {
    place.current?.replaceChildren(fragment());
  }, [fragment]);

  return <div ref={place} className={className} />;
}

import { Link } from "@remix-run/react";
import type { ButtonHTMLAttributes } from "react";

type ButtonProps = Omit<ButtonHTMLAttributes<HTMLButtonElement>, "className"> & {
  tone?: "primary" | "quiet";
  /** The action is running. */
  busy?: boolean;
  /** A press does nothing. */
  blocked?: boolean;
};

export function Button({ tone = "primary", busy, blocked = busy, onClick, children, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={`button button-${tone}`}
      // `disabled` would lose the keyboard focus.
      aria-disabled={blocked || undefined}
      onClick={(event) => {
        if (blocked) event.preventDefault();
        else onClick?.(event);
      }}
    >
      {busy ? <span className="spinner" aria-hidden="true" /> : null}
      {children}
    </button>
  );
}

type ButtonLinkProps = Pick<ButtonProps, "tone" | "children"> & { to: string; isNewTab?: boolean };

export function ButtonLink({ to, tone = "primary", isNewTab = false, children }: ButtonLinkProps) {
  return (
    <Link
      to={to}
      className={`button button-${tone}`}
      {...(isNewTab && { target: "_blank", rel: "noopener noreferrer" })}
    >
      {children}
      {isNewTab ? <span className="visually-hidden"> (opens in a new tab)</span> : null}
    </Link>
  );
}

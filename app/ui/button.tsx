import { Link } from "@remix-run/react";
import type { ButtonHTMLAttributes, ReactNode } from "react";

type Tone = "primary" | "quiet";

type ButtonProps = Omit<ButtonHTMLAttributes<HTMLButtonElement>, "className"> & {
  tone?: Tone;
  /** The action is under way: the button says so, and a second press does nothing. */
  busy?: boolean;
  /** Something else is under way: a press does nothing until it is over. */
  blocked?: boolean;
};

export function Button({
  tone = "primary",
  busy = false,
  blocked = busy,
  onClick,
  children,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={`button button-${tone}`}
      // Not `disabled`: that would throw the keyboard focus away in the middle of an action.
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

type ButtonLinkProps = { to: string; tone?: Tone; children: ReactNode };

export function ButtonLink({ to, tone = "primary", children }: ButtonLinkProps) {
  return (
    <Link to={to} className={`button button-${tone}`}>
      {children}
    </Link>
  );
}

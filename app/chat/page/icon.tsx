import type { ButtonHTMLAttributes, Ref } from "react";

const paths = {
  send: "M8 13V3m0 0L3.5 7.5M8 3l4.5 4.5",
  stop: "M4.5 4.5h7v7h-7z",
  copy: "M6 5.5V3.2c0-.4.3-.7.7-.7h6.1c.4 0 .7.3.7.7v6.1c0 .4-.3.7-.7.7h-2.3M3.2 6h6.1c.4 0 .7.3.7.7v6.1c0 .4-.3.7-.7.7H3.2a.7.7 0 0 1-.7-.7V6.7c0-.4.3-.7.7-.7Z",
  check: "m3 8.5 3.2 3.2L13 4.9",
  again: "M13 8a5 5 0 1 1-1.5-3.6M13 2.5v2.7h-2.7",
  edit: "M10.8 3.2 12.8 5.2 5.6 12.4 2.9 13.1 3.6 10.4Z",
  down: "M8 3v10m0 0 4.5-4.5M8 13 3.5 8.5",
  list: "M2.5 4h11M2.5 8h11M2.5 12h7",
  plus: "M8 3v10M3 8h10",
  more: "M3.5 8h.01M8 8h.01M12.5 8h.01",
  previous: "M10 3.5 5.5 8l4.5 4.5",
  next: "M6 3.5 10.5 8 6 12.5",
  search: "m13 13-2.9-2.9M11.5 7a4.5 4.5 0 1 1-9 0 4.5 4.5 0 0 1 9 0Z",
  tool: "M9.6 3.2a3.2 3.2 0 0 0-4 4L2.6 10.2v3.2h3.2l3-3a3.2 3.2 0 0 0 4-4L10.9 8.3 7.7 5.1Z",
  page: "M4 2.5h5l3 3v8H4zM9 2.5v3h3",
  speak: "M2.5 6.2v3.6H5l3 2.7V3.5L5 6.2ZM10.5 5.8a3 3 0 0 1 0 4.4M12.3 4a5.6 5.6 0 0 1 0 8",
  pause: "M5.5 3.5v9M10.5 3.5v9",
  play: "M5 3.2 12.5 8 5 12.8Z",
  cross: "m4 4 8 8m0-8-8 8",
} as const;

type IconName = keyof typeof paths;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  );
}

type IconButtonProps = ButtonHTMLAttributes<HTMLButtonElement> & {
  label: string;
  icon?: IconName;
  buttonRef?: Ref<HTMLButtonElement>;
};

export function IconButton({ label, icon, buttonRef, children, ...rest }: IconButtonProps) {
  return (
    <button ref={buttonRef} type="button" className="quiet-action" aria-label={label} {...rest}>
      {icon ? <Icon name={icon} /> : null}
      {children}
    </button>
  );
}

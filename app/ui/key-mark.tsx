/** For sites without a logo. */
export function KeyMark() {
  return (
    <svg viewBox="0 0 32 32" width="28" height="28" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="8" fill="var(--deep)" />
      <path
        fill="var(--brass)"
        d="M16 7.5a5.25 5.25 0 0 0-2.6 9.81L12 24.5h8l-1.4-7.19A5.25 5.25 0 0 0 16 7.5Z"
      />
    </svg>
  );
}

const light = "var(--on-deep)";
const soft = "var(--on-deep-soft)";
const brass = "var(--brass)";

/** Decorative. */
export function DoorIllustration() {
  return (
    <svg className="door-illustration" viewBox="0 0 440 560" aria-hidden="true" focusable="false">
      <defs>
        <radialGradient id="door-glow">
          <stop offset="0" stopColor={brass} stopOpacity="0.55" />
          <stop offset="1" stopColor={brass} stopOpacity="0" />
        </radialGradient>
        <linearGradient id="door-beam" x1="1" y1="0" x2="0" y2="1">
          <stop offset="0" stopColor={brass} stopOpacity="0.55" />
          <stop offset="1" stopColor={brass} stopOpacity="0" />
        </linearGradient>
      </defs>
      <g fill="none" stroke={soft} strokeOpacity="0.34" strokeWidth="2">
        <path d="M60 536V216a160 160 0 0 1 320 0v320" />
        <path d="M28 536V216a192 192 0 0 1 384 0v320" />
        {joints.map((joint) => (
          <path key={joint} d={joint} />
        ))}
      </g>
      <g fill={light} fillOpacity="0.07" stroke={soft} strokeOpacity="0.5" strokeWidth="2">
        <path d="M72 536V216a148 148 0 0 1 296 0v320Z" />
      </g>
      <g fill="none" stroke={light} strokeOpacity="0.13" strokeWidth="2">
        <path d="M131 96v440M190.500 71v465M249.500 71v465M309 96v440" />
      </g>
      <g fill={light} fillOpacity="0.16">
        <path d="M72 214h150c18 0 18-16 30-16-6 14-6 30 0 44-12 0-12-16-30-16H72Z" />
        <path d="M72 424h150c18 0 18-16 30-16-6 14-6 30 0 44-12 0-12-16-30-16H72Z" />
      </g>
      <circle className="door-glow" cx="318" cy="338" r="150" fill="url(#door-glow)" />
      <path className="door-glow" d="M314 342 8 520l58 40h150Z" fill="url(#door-beam)" />
      <g fill={brass}>
        <path d="M318 286c16 0 26 12 26 28 0 8-4 12-4 20v40c0 12-10 20-22 20s-22-8-22-20v-40c0-8-4-12-4-20 0-16 10-28 26-28Z" />
      </g>
      <path fill="var(--deep)" d="M318 318a15 15 0 0 0-7.400 28l-5 26h24.800l-5-26a15 15 0 0 0-7.400-28Z" />
      <path stroke={soft} strokeOpacity="0.5" strokeWidth="4" d="M20 538h400" />
      <path stroke={brass} strokeOpacity="0.9" strokeWidth="4" d="M84 535h272" />
    </svg>
  );
}

const joints = [
  ...[15, 45, 75, 105, 135, 165].map((degrees) => {
    const [x, y] = [Math.cos((degrees * Math.PI) / 180), -Math.sin((degrees * Math.PI) / 180)];
    const at = (radius: number) => `${(220 + x * radius).toFixed(1)} ${(216 + y * radius).toFixed(1)}`;
    return `M${at(160)}L${at(192)}`;
  }),
  ...[236, 316, 396, 476].flatMap((y) => [`M28 ${y}h32`, `M380 ${y}h32`]),
];

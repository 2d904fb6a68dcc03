/** A door with light behind it. A picture only: everything it says is said in words beside it. */
export function DoorIllustration() {
  return (
    <svg className="door-illustration" viewBox="0 0 440 560" aria-hidden="true" focusable="false">
      <defs>
        <radialGradient id="door-glow">
          <stop offset="0" className="door-light-stop" />
          <stop offset="1" className="door-dark-stop" />
        </radialGradient>
        <linearGradient id="door-beam" x1="1" y1="0" x2="0" y2="1">
          <stop offset="0" className="door-light-stop" />
          <stop offset="1" className="door-dark-stop" />
        </linearGradient>
      </defs>
      <g className="door-stones">
        <path d="M60 536V216a160 160 0 0 1 320 0v320" />
        <path d="M28 536V216a192 192 0 0 1 384 0v320" />
        {stones.map((stone) => (
          <path key={stone} d={stone} />
        ))}
      </g>
      <path className="door-leaf" d="M72 536V216a148 148 0 0 1 296 0v320Z" />
      <path className="door-planks" d="M131 96v440M190.500 71v465M249.500 71v465M309 96v440" />
      <g className="door-iron">
        <path d="M72 214h150c18 0 18-16 30-16-6 14-6 30 0 44-12 0-12-16-30-16H72Z" />
        <path d="M72 424h150c18 0 18-16 30-16-6 14-6 30 0 44-12 0-12-16-30-16H72Z" />
      </g>
      <circle className="door-glow" cx="318" cy="338" r="150" fill="url(#door-glow)" />
      <path className="door-beam" d="M314 342 8 520l58 40h150Z" fill="url(#door-beam)" />
      <path
        className="door-plate"
        d="M318 286c16 0 26 12 26 28 0 8-4 12-4 20v40c0 12-10 20-22 20s-22-8-22-20v-40c0-8-4-12-4-20 0-16 10-28 26-28Z"
      />
      <path
        className="door-keyhole"
        d="M318 318a15 15 0 0 0-7.400 28l-5 26h24.800l-5-26a15 15 0 0 0-7.400-28Z"
      />
      <path className="door-sill" d="M20 538h400" />
      <path className="door-gap" d="M84 535h272" />
    </svg>
  );
}

/** The joints of the arch and of the posts beside the door. */
const stones = [
  ...[15, 45, 75, 105, 135, 165].map((degrees) => {
    const [x, y] = [Math.cos((degrees * Math.PI) / 180), -Math.sin((degrees * Math.PI) / 180)];
    const at = (radius: number) => `${(220 + x * radius).toFixed(1)} ${(216 + y * radius).toFixed(1)}`;
    return `M${at(160)}L${at(192)}`;
  }),
  ...[236, 316, 396, 476].flatMap((y) => [`M28 ${y}h32`, `M380 ${y}h32`]),
];

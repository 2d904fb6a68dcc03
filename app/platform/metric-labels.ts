/** Before the name of every metric of ours. */
export const metricPrefix = "latchkey_";

/**
 * Label values beyond these many become "other". They come from our own tables; the bound holds even if one day a
 * client's text finds its way into a label.
 */
const maxLabelValues = 64;

/** Passes values on as they are, until there are too many different ones. One for each label. */
export function createLabelBound(): (value: string) => string {
  const seen = new Set<string>();
  return (value) => {
    if (seen.has(value)) return value;
    if (seen.size >= maxLabelValues) return "other";
    seen.add(value);
    return value;
  };
}

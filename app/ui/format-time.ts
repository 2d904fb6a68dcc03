export function formatWait(seconds: number): string {
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  return `${Math.ceil(hours / 24)} days`;
}

/** The local time, with the day if it isn't today. */
export function formatMoment(momentMs: number, nowMs = Date.now()): string {
  const moment = new Date(momentMs);
  const isToday = moment.toDateString() === new Date(nowMs).toDateString();
  return moment.toLocaleString(undefined, {
    ...(!isToday && { weekday: "short", day: "numeric", month: "short" }),
    hour: "2-digit",
    minute: "2-digit",
  });
}

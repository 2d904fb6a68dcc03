import type { RoomOutline } from "~/content/room-outline";

const kinds: { part: keyof RoomOutline; words: string; icon: string }[] = [
  { part: "hasText", words: "A welcome to read", icon: "M4 5h12M4 9h12M4 13h8" },
  {
    part: "hasSound",
    words: "Something to listen to",
    icon: "M8 15V5l8-1.5v10M8 15a2 2 0 1 1-4 0 2 2 0 0 1 4 0Zm8-1.5a2 2 0 1 1-4 0 2 2 0 0 1 4 0Z",
  },
  { part: "hasForm", words: "Send one message with your key", icon: "M4 16l1-4 8.5-8.5 3 3L8 15l-4 1Z" },
  { part: "hasScript", words: "Something live from the host", icon: "M11 3 5 11h4l-1 6 7-9h-5l1-5Z" },
];

export function LockedPreview({ outline }: { outline: RoomOutline }) {
  const shown = kinds.filter(({ part }) => outline[part]);
  return (
    <section className="locked" aria-labelledby="locked-heading">
      <div className="stack locked-picture" aria-hidden="true">
        <span className="locked-line" />
        <span className="locked-line" />
        <span className="locked-block" />
        <span className="locked-line" />
        <span className="locked-line" />
        <svg className="locked-mark" viewBox="0 0 32 32" width="52" height="52">
          <rect x="7" y="14" width="18" height="13" rx="3" />
          <path d="M11 14v-3.5a5 5 0 0 1 10 0V14" />
          <path
            className="locked-hole"
            d="M16 18.6a1.7 1.7 0 0 0-.8 3.2l-.4 2h2.4l-.4-2a1.7 1.7 0 0 0-.8-3.2Z"
          />
        </svg>
      </div>
      <h2 id="locked-heading">What a key opens</h2>
      {shown.length > 0 ? (
        <ul className="stack locked-list">
          {shown.map(({ part, words, icon }) => (
            <li key={part}>
              <svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
                <path d={icon} />
              </svg>
              {words}
            </li>
          ))}
        </ul>
      ) : (
        <p>There is no content in this room yet.</p>
      )}
      <p className="locked-note soft">We check the blockchain before sending any of it.</p>
    </section>
  );
}

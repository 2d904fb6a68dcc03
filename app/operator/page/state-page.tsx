import type { DependencyView, StateView } from "../state-view";
import { Moment } from "./moment";

type Badge = { word: string; tone: string };

const badges: Record<DependencyView["state"], Badge> = {
  up: { word: "up", tone: "success" },
  down: { word: "down", tone: "problem" },
  unsure: { word: "look here", tone: "warning" },
  off: { word: "off", tone: "plain" },
};
const on: Badge = { word: "on", tone: "success" };

const statusWords: Record<StateView["status"], string> = {
  ready: "The service is ready.",
  degraded: "The service is ready, but something it can do without is down.",
  unready: "The service is not ready: something it cannot do without is down.",
};

export function StatePage({ state }: { state: StateView }) {
  const { status, dependencies, switches, readAtMs } = state;
  // Readiness doesn't cover all rows below.
  const isReadyOnly = status === "ready" && dependencies.some((row) => row.state === "down");
  const tone = isReadyOnly ? "warning" : status === "ready" ? "success" : "problem";
  return (
    <>
      <p className={`operator-status tone-${tone}`}>
        <strong>{statusWords[isReadyOnly ? "degraded" : status]}</strong> <span>Checked at</span>{" "}
        <Moment atMs={readAtMs} /> <span>UTC.</span>
      </p>
      <List
        id="dependencies"
        title="Dependencies"
        rows={dependencies.map((row) => ({
          name: row.name,
          badge: badges[row.state],
          why: row.facts.join(" "),
        }))}
      />
      <List
        id="switches"
        title="Switches"
        rows={switches.map(({ name, isOn, why }) => ({ name, badge: isOn ? on : badges.off, why }))}
      />
    </>
  );
}

type ListProps = { id: string; title: string; rows: readonly { name: string; badge: Badge; why: string }[] };

function List({ id, title, rows }: ListProps) {
  return (
    <section className="stack" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <ul className="operator-panel operator-list">
        {rows.map(({ name, badge, why }) => (
          <li key={name}>
            <span className={`operator-badge tone-${badge.tone}`}>{badge.word}</span>
            <strong>{name}</strong>
            <span className="operator-list-why soft">{why}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

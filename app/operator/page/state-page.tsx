import type { DependencyView, StateView } from "../state-view";
import { Moment } from "./cells";

const stateWords: Record<DependencyView["state"], string> = {
  up: "up",
  down: "down",
  unsure: "look here",
  off: "off",
};
const stateTones: Record<DependencyView["state"], string> = {
  up: "success",
  down: "problem",
  unsure: "warning",
  off: "plain",
};
const statusWords: Record<StateView["status"], string> = {
  ready: "The service is ready.",
  degraded: "The service is ready, but something it can do without is down.",
  unready: "The service is not ready: something it cannot do without is down.",
};

export function StatePage({ state }: { state: StateView }) {
  // Not all that is listed below is asked about from outside.
  const isReadyOnly = state.status === "ready" && state.dependencies.some((row) => row.state === "down");
  const tone = isReadyOnly ? "warning" : state.status === "ready" ? "success" : "problem";
  return (
    <>
      <p className={`operator-status tone-${tone}`}>
        <strong>{isReadyOnly ? statusWords.degraded : statusWords[state.status]}</strong>{" "}
        <span>Asked at</span> <Moment atMs={state.readAtMs} /> <span>UTC.</span>
      </p>
      <section aria-labelledby="dependencies">
        <h2 id="dependencies">Dependencies</h2>
        <ul className="operator-list">
          {state.dependencies.map(({ name, state: its, facts }) => (
            <li key={name}>
              <span className={`operator-badge tone-${stateTones[its]}`}>{stateWords[its]}</span>
              <strong>{name}</strong>
              <span className="operator-list-why">{facts.join(" ")}</span>
            </li>
          ))}
        </ul>
      </section>
      <section aria-labelledby="switches">
        <h2 id="switches">Switches</h2>
        <ul className="operator-list">
          {state.switches.map(({ name, isOn, why }) => (
            <li key={name}>
              <span className={`operator-badge tone-${isOn ? "success" : "plain"}`}>
                {isOn ? "on" : "off"}
              </span>
              <strong>{name}</strong>
              <span className="operator-list-why">{why}</span>
            </li>
          ))}
        </ul>
      </section>
    </>
  );
}

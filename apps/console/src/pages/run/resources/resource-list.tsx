import type { ReactNode } from "react";
import { useNow } from "../../../design/use-now.ts";
import { signs } from "../group-changes.ts";
import { describeProgress, toneOfResource } from "./describe-resource.ts";
import type { ResourceProgress } from "./resource-progress.ts";

const first: readonly ResourceProgress["state"][] = ["FAILED", "RUNNING", "WAITING", "DONE"];

/** Lists the resources of a run. Failed resources come first, then those in progress. */
export function ResourceList({
  resources,
  isPlanOnly,
  chosen,
  onChoose,
}: {
  readonly resources: readonly ResourceProgress[];
  readonly isPlanOnly: boolean;
  readonly chosen: string;
  readonly onChoose: (address: string) => void;
}): ReactNode {
  const now = useNow(resources.some(({ state }) => state === "RUNNING"));
  const sorted = resources.toSorted((a, b) => first.indexOf(a.state) - first.indexOf(b.state));
  return (
    <ul className="cw-tiles cw-resource-list" aria-label="Resources of the run">
      {sorted.map((resource) => {
        const { address, action, state } = resource;
        const { sign, tone } = signs[action] ?? { sign: "?", tone: "bad" };
        return (
          <li
            key={address}
            data-tone={toneOfResource(state, action, isPlanOnly)}
            data-busy={state === "RUNNING"}
            data-chosen={chosen === address}
          >
            <button type="button" aria-pressed={chosen === address} onClick={() => onChoose(chosen === address ? "" : address)}>
              <span className="cw-mono">{address}</span>
              <span className="cw-small cw-list-said">
                <b data-tone={tone} title={action}>
                  {sign}
                </b>{" "}
                {describeProgress(resource, now, isPlanOnly)}
              </span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}

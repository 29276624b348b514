import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useProject } from "../../data/project.ts";
import { stateDiffQuery } from "../../data/queries.ts";
import { Empty, FaultNote } from "../../design/layout.tsx";
import { Loading } from "../../design/loading.tsx";
import type { Tone } from "../../design/phase.ts";
import { Tag } from "../../design/status.tsx";

const tones: Readonly<Record<string, Tone>> = { added: "good", removed: "bad", changed: "warn" };
const order = ["removed", "changed", "added"];

/** Lists the differences between two versions of a state, removals first. Does not show values, because they may be secret. */
export function Difference({ uid, from, to }: { readonly uid: string; readonly from: number; readonly to: number }): ReactNode {
  const { data, error } = useQuery(stateDiffQuery(useProject(), uid, from, to));
  if (from === 0)
    return (
      <Empty icon="state" title="Only one version exists">
        The next infrastructure change creates another one.
      </Empty>
    );
  if (error !== null) return <FaultNote error={error} />;
  if (data === undefined) return <Loading rows={4} />;
  const lines = [
    ...(data.resources ?? []).map(({ address = "", change = "", attributes = [] }) => ({
      name: address,
      change,
      more: change === "changed" ? attributes.join(", ") : "",
    })),
    ...(data.outputs ?? []).map(({ name = "", change = "" }) => ({ name: `output ${name}`, change, more: "" })),
  ].toSorted((a, b) => order.indexOf(a.change) - order.indexOf(b.change));
  if (lines.length === 0) return <Empty icon="check" title="No differences" />;
  const counts = order.map((change) => [change, lines.filter((line) => line.change === change).length] as const);
  return (
    <>
      <div className="cw-counts">
        {counts
          .filter(([, count]) => count > 0)
          .map(([change, count]) => (
            <span key={change} data-tone={tones[change]}>
              <b className="cw-num">{count}</b> {change}
            </span>
          ))}
      </div>
      <table className="cw-plain">
        <tbody>
          {lines.map(({ name, change, more }) => (
            <tr key={name}>
              <td style={{ width: 92 }}>
                <Tag tone={tones[change] ?? "idle"}>{change}</Tag>
              </td>
              <td>
                <span className="cw-mono">{name}</span>
                {more !== "" && <div className="cw-muted cw-small">{more}</div>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

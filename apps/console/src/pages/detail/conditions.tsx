import type { ConditionJson } from "@cloudwright/api-client";
import type { ReactNode } from "react";
import { Icon } from "../../design/icons.tsx";
import { Empty } from "../../design/layout.tsx";
import type { Tone } from "../../design/phase.ts";
import { Age } from "../../design/time.tsx";

/** Conditions for which False is the healthy status. */
const unwanted = new Set(["Drifted", "ApprovalNeeded", "UpgradeAvailable", "UpgradePaused"]);

/** Readable descriptions for reasons that are unclear on their own. */
const reasons: Readonly<Record<string, string>> = { AsAsked: "up to date", NotAsAsked: "not up to date" };

/** Lists an entity's conditions and when they last changed. */
export function Conditions({ of }: { readonly of: readonly ConditionJson[] }): ReactNode {
  if (of.length === 0) return <Empty icon="clock" title="No conditions yet" />;
  return (
    <table className="cw-plain">
      <tbody>
        {of.map((condition) => {
          const tone = toneOfCondition(condition);
          return (
            <tr key={condition.type}>
              <td style={{ width: 30, paddingRight: 0 }} data-tone={tone}>
                <span style={{ color: "var(--tone)" }}>
                  <Icon name={tone === "good" ? "check" : tone === "idle" ? "clock" : "alert"} size={17} />
                </span>
              </td>
              <td>
                <b style={{ fontWeight: 570 }}>{splitWords(condition.type)}</b>{" "}
                <span className="cw-muted cw-small">
                  {condition.status === "True" ? "" : `${condition.status?.toLowerCase()} · `}
                  {reasons[condition.reason ?? ""] ?? splitWords(condition.reason).toLowerCase()}
                </span>
                {condition.message !== undefined && condition.message !== "" && (
                  <div className="cw-small">{condition.message}</div>
                )}
              </td>
              <td className="cw-muted cw-small" style={{ whiteSpace: "nowrap", textAlign: "right" }}>
                <Age at={condition.lastTransitionAt} />
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** Converts a camel-case name to readable text: `AddOnsReady` becomes "Add-ons ready". */
function splitWords(name = ""): string {
  return name.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replace("Add ons", "Add-ons");
}

function toneOfCondition({ type, status }: ConditionJson): Tone {
  if (status === "Unknown") return "idle";
  const isGood = (status === "True") !== unwanted.has(type ?? "");
  return isGood ? "good" : unwanted.has(type ?? "") ? "warn" : "bad";
}

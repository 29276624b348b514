import type { PlannedAttributeJson, PlannedChangeJson } from "@cloudwright/api-client";
import type { ReactNode } from "react";
import { Icon } from "../../design/icons.tsx";
import { groupChanges, renderValue, signs } from "./group-changes.ts";

const openUpTo = 12;

/** A plan resource by resource, grouped by module; what is replaced or removed comes first, in red. */
export function PlanDiff({ changes }: { readonly changes: readonly PlannedChangeJson[] }): ReactNode {
  const groups = groupChanges(changes);
  return (
    <div data-testid="plan">
      {groups.map(({ module, changes: list }) => (
        <div key={module} className="cw-group">
          <h3>
            {module === "" ? "Configuration" : module} <span className="cw-muted cw-num">{list.length}</span>
          </h3>
          {list.map((change) => (
            <Change
              key={change.address}
              change={change}
              isOpen={changes.length <= openUpTo || change.action === "replace" || change.action === "delete"}
            />
          ))}
        </div>
      ))}
    </div>
  );
}

function Change({ change, isOpen }: { readonly change: PlannedChangeJson; readonly isOpen: boolean }): ReactNode {
  const { sign, tone } = signs[change.action ?? ""] ?? { sign: "?", tone: "bad" };
  const forced = new Set(change.replacePaths);
  return (
    <details className="cw-change" open={isOpen} data-tone={tone}>
      <summary>
        <span className="cw-turn">
          <Icon name="chevron" size={14} />
        </span>
        <span className="cw-sign" title={change.action}>
          {sign}
        </span>
        <span
          style={
            change.action === "replace" || change.action === "delete" ? { color: "var(--tone)", fontWeight: 600 } : undefined
          }
        >
          {change.address}
        </span>
        <span className="cw-muted cw-wide" style={{ marginLeft: "auto" }}>
          {change.action === "replace" ? "will be replaced" : change.action}
          {change.reason !== undefined && change.reason !== "" && ` · ${change.reason.replaceAll("_", " ")}`}
        </span>
      </summary>
      <div className="cw-attrs" role="group" aria-label="Attributes" tabIndex={0}>
        {(change.attributes ?? []).map((attribute) => (
          <Attribute
            key={attribute.path}
            attribute={attribute}
            action={change.action ?? ""}
            isForcing={forced.has(attribute.path ?? "")}
          />
        ))}
        {(change.attributes ?? []).length === 0 && <span className="cw-muted">no attributes to show</span>}
      </div>
    </details>
  );
}

function Attribute({
  attribute,
  action,
  isForcing,
}: {
  readonly attribute: PlannedAttributeJson;
  readonly action: string;
  readonly isForcing: boolean;
}): ReactNode {
  const { path, before, after, sensitive, unknown } = attribute;
  const was = sensitive === true ? "(sensitive)" : renderValue(before);
  const will = sensitive === true ? "(sensitive)" : unknown === true ? "(known after apply)" : renderValue(after);
  return (
    <div>
      <span className="cw-key">{path}</span>
      <span>
        {action !== "create" && <span className="cw-was">{was}</span>}
        {action === "update" || action === "replace" ? " → " : ""}
        {action !== "delete" && <span className="cw-will">{will}</span>}
        {isForcing && <span className="cw-forces"> forces replacement</span>}
      </span>
    </div>
  );
}

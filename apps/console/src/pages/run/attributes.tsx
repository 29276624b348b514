import type { PlannedAttributeJson, PlannedChangeJson } from "@cloudwright/api-client";
import type { ReactNode } from "react";
import { renderValue } from "./group-changes.ts";

/** Lists the planned changes of one resource, attribute by attribute. */
export function Attributes({ change }: { readonly change: PlannedChangeJson }): ReactNode {
  const forced = new Set(change.replacePaths);
  const attributes = change.attributes ?? [];
  return (
    <div className="cw-attrs" role="group" aria-label="Attributes" tabIndex={0}>
      {attributes.map((attribute) => (
        <Attribute
          key={attribute.path}
          attribute={attribute}
          action={change.action ?? ""}
          isForcing={forced.has(attribute.path ?? "")}
        />
      ))}
      {attributes.length === 0 && <span className="cw-muted">no attributes</span>}
    </div>
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
  const { path, members } = attribute;
  return (
    <div>
      <span className="cw-key">{path}</span>
      <span>
        {members === undefined ? <Values attribute={attribute} action={action} /> : `(${members} attributes)`}
        {isForcing && <span className="cw-forces"> forces replacement</span>}
      </span>
    </div>
  );
}

function Values({ attribute, action }: { readonly attribute: PlannedAttributeJson; readonly action: string }): ReactNode {
  const { before, after, sensitive, unknown } = attribute;
  const was = sensitive === true ? "(sensitive)" : renderValue(before);
  const will = sensitive === true ? "(sensitive)" : unknown === true ? "(known after apply)" : renderValue(after);
  return (
    <>
      {action !== "create" && <span className="cw-was">{was}</span>}
      {action === "update" || action === "replace" ? " → " : ""}
      {action !== "delete" && <span className="cw-will">{will}</span>}
    </>
  );
}

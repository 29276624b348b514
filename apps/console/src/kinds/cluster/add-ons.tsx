import type { AnyEntity, EntityByKind } from "@cloudwright/api-client";
import type { ReactNode } from "react";
import { Panel } from "../../design/layout.tsx";
import { Phase } from "../../design/status.tsx";

/** Lists the add-ons of a cluster and their states. */
export function AddOns({ entity }: { readonly entity: AnyEntity }): ReactNode {
  const addOns = (entity as EntityByKind["Cluster"]).status?.addOns ?? [];
  if (addOns.length === 0) return null;
  return (
    <Panel title="Add-ons" flush>
      <table className="cw-plain">
        <tbody>
          {addOns.map(({ name, version, phase, message }) => (
            <tr key={name}>
              <td>
                <b style={{ fontWeight: 570 }}>{name}</b> <span className="cw-muted cw-small">{version}</span>
                {message !== undefined && message !== "" && <div className="cw-small">{message}</div>}
              </td>
              <td style={{ textAlign: "right" }}>
                <Phase state={phase} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  );
}

import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { useCan } from "../../data/permissions.ts";
import { useProject } from "../../data/project.ts";
import { stateResourcesQuery } from "../../data/queries.ts";
import { FaultNote, Panel } from "../../design/layout.tsx";
import { Tag } from "../../design/status.tsx";
import { RepairResource, type Repair } from "./repair-resource.tsx";

/** Lists the resources of a state. Admins can forget one of them or adopt an existing resource. */
export function Resources({ uid, name }: { readonly uid: string; readonly name: string }): ReactNode {
  const project = useProject();
  const can = useCan();
  const { data, error } = useQuery(stateResourcesQuery(project, uid));
  const [repair, setRepair] = useState<Repair>();
  const mayAdopt = can("State", "adopt");
  return (
    <Panel
      title="Resources"
      flush
      actions={
        mayAdopt && (
          <Button size="compact-xs" variant="default" onClick={() => setRepair({ verb: "adopt", address: "", id: "" })}>
            Adopt a resource
          </Button>
        )
      }
    >
      {repair !== undefined && <RepairResource uid={uid} name={name} repair={repair} onClose={() => setRepair(undefined)} />}
      <FaultNote error={error} />
      <div className="cw-over" style={{ maxHeight: 420, overflow: "auto" }} tabIndex={0} role="region" aria-label="Resources">
        <table className="cw-plain cw-middle">
          <thead>
            <tr>
              <th>Address</th>
              <th>ID</th>
              <th aria-label="Actions" />
            </tr>
          </thead>
          <tbody>
            {data?.items?.map(({ address = "", id = "" }) => (
              <tr key={address}>
                <td>
                  <code>{address}</code>
                </td>
                <td className="cw-mono">{id}</td>
                <td style={{ textAlign: "right" }}>
                  {can("State", "forget") && (
                    <Button
                      size="compact-xs"
                      variant="default"
                      aria-label={`Forget ${address}`}
                      onClick={() => setRepair({ verb: "forget", address, id })}
                    >
                      Forget
                    </Button>
                  )}
                </td>
              </tr>
            ))}
            {data?.forgotten?.map(({ address = "", id = "" }) => (
              <tr key={`${address} ${id}`}>
                <td>
                  <code>{address}</code> <Tag>forgotten</Tag>
                </td>
                <td className="cw-mono">{id}</td>
                <td style={{ textAlign: "right" }}>
                  {mayAdopt && (
                    <Button
                      size="compact-xs"
                      variant="default"
                      aria-label={`Adopt ${address}`}
                      onClick={() => setRepair({ verb: "adopt", address, id })}
                    >
                      Adopt
                    </Button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  );
}

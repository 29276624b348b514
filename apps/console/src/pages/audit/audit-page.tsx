import { Select } from "@mantine/core";
import type { AuditRecordJson } from "@cloudwright/api-client";
import { useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { permissionsQuery, readPermissions } from "../../data/permissions.ts";
import { useProject } from "../../data/project.ts";
import { auditQuery } from "../../data/queries.ts";
import type { Column } from "../../design/arrange-rows.ts";
import { DataTable } from "../../design/data-table.tsx";
import { Empty, FaultNote, Page, Panel } from "../../design/layout.tsx";
import { Tag } from "../../design/status.tsx";

/** Who did what in the project, when, from where, and how it ended. */
export function AuditPage(): ReactNode {
  const project = useProject();
  const permissions = useQuery(permissionsQuery(project));
  const mayRead = readPermissions(permissions.data)("AuditRecord", "list");
  const [outcome, setOutcome] = useState<string | null>(null);
  const { data, error } = useQuery({
    ...auditQuery(project, outcome === null ? "" : `outcome=${outcome}`),
    refetchInterval: 10_000,
    enabled: mayRead,
  });
  if (permissions.isSuccess && !mayRead)
    return (
      <Page title="Audit log">
        <Panel>
          <Empty icon="audit" title="It is not for your role">
            Admins of the project read its audit log.
          </Empty>
        </Panel>
      </Page>
    );
  return (
    <Page title="Audit log" sub="One record for each change, and for each call that was refused">
      <FaultNote error={error} />
      <Panel flush>
        {data === undefined && error === null ? (
          <div style={{ height: 300 }} aria-busy="true" />
        ) : (
          <DataTable
            label="Audit records"
            rows={data ?? []}
            columns={columns}
            keyOf={({ uid }) => uid ?? ""}
            tools={
              <Select
                size="sm"
                w={150}
                aria-label="Outcome"
                placeholder="All outcomes"
                clearable
                data={["allowed", "denied", "failed"]}
                value={outcome}
                onChange={setOutcome}
              />
            }
            empty={<Empty icon="audit" title="No records" />}
          />
        )}
      </Panel>
    </Page>
  );
}

const plain = (
  id: keyof AuditRecordJson,
  title: string,
  width: string,
  more: Partial<Column<AuditRecordJson>> = {},
): Column<AuditRecordJson> => ({ id, title, width, text: (record) => record[id] ?? "", ...more });

const columns: readonly Column<AuditRecordJson>[] = [
  plain("at", "When", "170px", {
    render: ({ at = "" }) => (
      <time dateTime={at} className="cw-num">
        {new Date(at).toLocaleString("en-GB")}
      </time>
    ),
  }),
  plain("actor", "Who", "minmax(90px, .8fr)", { render: ({ actor }) => actor || <span className="cw-muted">nobody known</span> }),
  plain("verb", "Did", "100px"),
  plain("kind", "Kind", "120px", { wide: true }),
  plain("name", "Name", "minmax(0, 1fr)", { wide: true }),
  plain("outcome", "Outcome", "110px", {
    render: ({ outcome = "" }) => <Tag tone={outcome === "allowed" ? "good" : "bad"}>{outcome}</Tag>,
  }),
  plain("code", "Code", "minmax(0, 1fr)", { wide: true, render: ({ code }) => <span className="cw-mono">{code}</span> }),
  plain("source", "From", "130px", { wide: true }),
  plain("credential", "By", "170px", { wide: true, render: ({ credential }) => <span className="cw-mono">{credential}</span> }),
  plain("requestId", "Request", "minmax(0, 1fr)", { wide: true, optional: true }),
];

import { Button, Select } from "@mantine/core";
import type { AuditRecordJson } from "@cloudwright/api-client";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo, useState, type ReactNode } from "react";
import { permissionsQuery, readPermissions } from "../../data/permissions.ts";
import { useProject } from "../../data/project.ts";
import { auditQuery } from "../../data/queries.ts";
import type { Column } from "../../design/arrange-rows.ts";
import { DataTable } from "../../design/data-table.tsx";
import { Empty, FaultNote, Page, Panel } from "../../design/layout.tsx";
import { Loading } from "../../design/loading.tsx";
import { Tag } from "../../design/status.tsx";
import { Moment } from "../../design/time.tsx";

/** Shows the audit log: who did what, when, from where, and with what outcome. */
export function AuditPage(): ReactNode {
  const project = useProject();
  const permissions = useQuery(permissionsQuery(project));
  const mayRead = readPermissions(permissions.data)("AuditRecord", "list");
  const [outcome, setOutcome] = useState<string | null>(null);
  const [actor, setActor] = useState<string | null>(null);
  const filter = [outcome === null ? "" : `outcome=${outcome}`, actor === null ? "" : `actor=${actor}`];
  const { data, error } = useQuery({
    ...auditQuery(project, filter.filter((part) => part !== "").join(",")),
    placeholderData: keepPreviousData,
    refetchInterval: 10_000,
    enabled: mayRead,
  });
  const actors = useMemo(
    () =>
      [...new Set([...(actor === null ? [] : [actor]), ...(data ?? []).map((record) => record.actor ?? "")])]
        .filter(Boolean)
        .toSorted(),
    [data, actor],
  );
  if (permissions.isSuccess && !mayRead)
    return (
      <Page title="Audit log">
        <Panel>
          <Empty icon="audit" title="Your role does not allow you to read the audit log">
            This requires the admin role.
          </Empty>
        </Panel>
      </Page>
    );
  return (
    <Page title="Audit log" sub="One record for each change and each denied request">
      <FaultNote error={error} />
      <Panel flush>
        {data === undefined && error === null ? (
          <Loading rows={8} />
        ) : (
          <DataTable
            label="Audit records"
            rows={data ?? []}
            columns={columns}
            keyOf={({ uid }) => uid ?? ""}
            tools={
              <>
                <Select
                  size="sm"
                  w={150}
                  aria-label="User"
                  placeholder="All users"
                  clearable
                  searchable
                  data={actors}
                  value={actor}
                  onChange={setActor}
                />
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
              </>
            }
            empty={
              outcome === null && actor === null ? (
                <Empty icon="audit" title="No records" />
              ) : (
                <Empty
                  icon="audit"
                  title="No matching records"
                  action={
                    <Button
                      variant="default"
                      onClick={() => {
                        setOutcome(null);
                        setActor(null);
                      }}
                    >
                      Show all
                    </Button>
                  }
                />
              )
            }
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
  plain("at", "When", "136px", { render: ({ at }) => <Moment at={at} /> }),
  plain("actor", "User", "minmax(84px, .6fr)", {
    render: ({ actor }) => (actor ? <b className="cw-strong">{actor}</b> : <span className="cw-muted">unknown</span>),
  }),
  plain("verb", "Action", "88px"),
  plain("kind", "Kind", "minmax(118px, .8fr)", { wide: true }),
  plain("name", "Name", "minmax(140px, 1.2fr)", { wide: true }),
  plain("outcome", "Outcome", "96px", {
    render: ({ outcome = "" }) => <Tag tone={outcome === "allowed" ? "good" : "bad"}>{outcome}</Tag>,
  }),
  plain("code", "Code", "minmax(130px, 1fr)", { wide: true, render: ({ code }) => <span className="cw-mono">{code}</span> }),
  plain("source", "Source", "96px", { wide: true }),
  plain("credential", "Credential", "minmax(126px, .8fr)", {
    wide: true,
    render: ({ credential }) => <span className="cw-mono">{credential}</span>,
  }),
  plain("requestId", "Request", "minmax(150px, 1fr)", { wide: true, optional: true }),
];

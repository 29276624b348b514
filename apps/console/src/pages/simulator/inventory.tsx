import { Button, Modal, Textarea } from "@mantine/core";
import type { SimulatedRecordJson } from "@cloudwright/api-client";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState, type ReactNode } from "react";
import { client } from "../../data/client.ts";
import { useProject } from "../../data/project.ts";
import { recordsQuery } from "../../data/queries.ts";
import type { Column } from "../../design/arrange-rows.ts";
import { DataTable } from "../../design/data-table.tsx";
import { Empty, FaultNote, Note, Panel } from "../../design/layout.tsx";
import { Age } from "../../design/time.tsx";
import { toast } from "../../design/toasts.tsx";

/** Lists the resources of a simulated cloud. Users can change them to simulate drift. */
export function Inventory({
  account,
  mayChange,
  onDone,
}: {
  readonly account: string;
  readonly mayChange: boolean;
  readonly onDone: () => Promise<void>;
}): ReactNode {
  const project = useProject();
  const { data = [], error } = useQuery(recordsQuery(project, account));
  const [open, setOpen] = useState<SimulatedRecordJson>();
  const columns = useMemo(() => columnsOf(setOpen), []);
  return (
    <Panel title="Inventory" flush>
      <FaultNote error={error} />
      <DataTable
        label="Records"
        rows={data}
        columns={columns}
        keyOf={({ type, id }) => `${type ?? ""} ${id ?? ""}`}
        empty={
          <Empty icon="simulator" title="This cloud is empty">
            Resources appear here once networks and clusters are created in this account.
          </Empty>
        }
      />
      {open !== undefined && (
        <RecordDialog
          account={account}
          record={open}
          mayChange={mayChange}
          onClose={(isDone) => {
            setOpen(undefined);
            if (isDone) void onDone();
          }}
        />
      )}
    </Panel>
  );
}

function columnsOf(open: (record: SimulatedRecordJson) => void): readonly Column<SimulatedRecordJson>[] {
  return [
    {
      id: "id",
      title: "Id",
      width: "minmax(170px, 1.4fr)",
      text: ({ id }) => id ?? "",
      render: (record) => (
        <button type="button" className="cw-open cw-mono" onClick={() => open(record)}>
          {record.id}
        </button>
      ),
    },
    {
      id: "type",
      title: "Type",
      width: "minmax(170px, 1fr)",
      text: ({ type }) => type ?? "",
      render: ({ type }) => <span className="cw-mono">{type}</span>,
    },
    {
      id: "name",
      title: "Name",
      width: "minmax(120px, 1fr)",
      wide: true,
      text: ({ attributes }) => (attributes?.["tags"] as { Name?: string } | null | undefined)?.Name ?? "",
    },
    {
      id: "changed",
      title: "Changed",
      width: "120px",
      wide: true,
      text: ({ changedAt }) => changedAt ?? "",
      render: ({ changedAt }) => (
        <span className="cw-muted">
          <Age at={changedAt} />
        </span>
      ),
    },
  ];
}

function RecordDialog(props: {
  readonly account: string;
  readonly record: SimulatedRecordJson;
  readonly mayChange: boolean;
  readonly onClose: (isDone: boolean) => void;
}): ReactNode {
  const { account, record, mayChange, onClose } = props;
  const project = useProject();
  const initial = JSON.stringify(record.attributes, undefined, 2);
  const [text, setText] = useState(initial);
  const [error, setError] = useState<unknown>();
  const key = { type: record.type ?? "", id: record.id ?? "" };
  const act = async (change: () => Promise<unknown>, said: string): Promise<void> => {
    setError(undefined);
    try {
      await change();
      toast("good", said);
      onClose(true);
    } catch (fault) {
      setError(fault);
    }
  };
  const drift = (): Promise<unknown> =>
    client.simulations.drift(
      project,
      account,
      key,
      findChanges(record.attributes ?? {}, JSON.parse(text) as Record<string, unknown>) as never,
    );
  return (
    <Modal opened onClose={() => onClose(false)} title={`${record.type ?? ""} ${record.id ?? ""}`} size="xl">
      <div className="cw-stack">
        <Textarea
          aria-label="Attributes"
          readOnly={!mayChange}
          autosize
          minRows={12}
          maxRows={24}
          spellCheck={false}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)", fontSize: 12 } }}
        />
        {mayChange && (
          <Note tone="warn">
            <p>
              Terraform does not know about changes you make here. They appear as drift, as if someone had used the cloud's own
              console.
            </p>
          </Note>
        )}
        <FaultNote error={error} />
        {mayChange && (
          <div className="cw-row">
            <Button disabled={text === initial} onClick={() => void act(drift, "Changed outside Terraform")}>
              Change outside Terraform
            </Button>
            <Button
              color="red"
              variant="light"
              onClick={() => void act(() => client.simulations.remove(project, account, key), "Deleted outside Terraform")}
            >
              Delete outside Terraform
            </Button>
          </div>
        )}
      </div>
    </Modal>
  );
}

/** Returns the changed attributes as a JSON merge patch. Removed attributes become null. */
function findChanges(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  const different = [...names].filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  return Object.fromEntries(different.map((name) => [name, name in after ? after[name] : null]));
}

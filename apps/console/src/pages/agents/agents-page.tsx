import { Button, Modal } from "@mantine/core";
import type { EntityByKind, Stored } from "@cloudwright/api-client";
import { parseTaskType } from "@cloudwright/contract/task-types";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type ComponentProps, type ReactNode } from "react";
import { client } from "../../data/client.ts";
import { useCan } from "../../data/permissions.ts";
import { useProject } from "../../data/project.ts";
import { agentsQuery, workQuery } from "../../data/queries.ts";
import { CodeBlock } from "../../design/code.tsx";
import { Icon } from "../../design/icons.tsx";
import { Empty, Facts, FaultNote, Note, Page, Panel } from "../../design/layout.tsx";
import { Loading } from "../../design/loading.tsx";
import { Phase, Tag } from "../../design/status.tsx";
import { Age } from "../../design/time.tsx";
import { toast, toastFault } from "../../design/toasts.tsx";
import { AgentWork } from "./agent-work.tsx";

type Agent = Stored<EntityByKind["Agent"]>;

/** Lists the agents, their health and their tasks. */
export function AgentsPage(): ReactNode {
  const project = useProject();
  const can = useCan();
  const { data, error } = useQuery(agentsQuery(project));
  const { data: work } = useQuery(workQuery(project));
  const [token, setToken] = useState<string>();
  const invite = (): void => void client.agents.createJoinToken(project).then(({ joinToken }) => setToken(joinToken), toastFault);
  return (
    <Page
      title="Agents"
      sub="Agents lease tasks and run Terraform close to the clouds they manage. They open outbound connections only."
      actions={
        can("JoinToken", "create") && (
          <Button onClick={invite} leftSection={<Icon name="plus" size={16} />}>
            Add agent
          </Button>
        )
      }
    >
      <Modal opened={token !== undefined} onClose={() => setToken(undefined)} title="Add agent" size="lg">
        <div className="cw-stack">
          <Note tone="warn">
            <p>The token is shown only once. It is valid for one hour and for one agent.</p>
          </Note>
          <CodeBlock
            label="On the agent's machine, in a clone of the repository"
            text={`CLOUDWRIGHT_SERVER=${location.origin} \\\nCLOUDWRIGHT_JOIN_TOKEN=${token ?? ""} \\\nCLOUDWRIGHT_AGENT_NAME=my-agent \\\nnpm run agent`}
          />
        </div>
      </Modal>
      <FaultNote error={error} />
      {data === undefined && error === null && (
        <Panel flush>
          <Loading />
        </Panel>
      )}
      <div className="cw-grid">
        {data?.map((agent) => (
          <AgentCard
            key={agent.metadata.uid}
            agent={agent}
            tasks={(work ?? []).filter(({ status }) => status?.agent === agent.metadata.name)}
            mayChange={agent.metadata.project === project && can("Agent", "update")}
          />
        ))}
      </div>
      {data?.length === 0 && (
        <Panel>
          <Empty icon="agent" title="No agents visible">
            The embedded agent serves all projects. Only users with a role in the "system" project can see it.
          </Empty>
        </Panel>
      )}
    </Page>
  );
}

function AgentCard({
  agent,
  tasks,
  mayChange,
}: {
  readonly agent: Agent;
  readonly tasks: ComponentProps<typeof AgentWork>["tasks"];
  readonly mayChange: boolean;
}): ReactNode {
  const { metadata, spec, status } = agent;
  const queries = useQueryClient();
  const drain = async (): Promise<void> => {
    try {
      await client.agents.patch(metadata.project ?? "", metadata.name, { spec: { draining: spec?.draining !== true } });
      toast(
        "good",
        spec?.draining === true ? `${metadata.name} accepts tasks again` : `${metadata.name} no longer accepts new tasks`,
      );
      await queries.invalidateQueries({ queryKey: ["agents"] });
    } catch (fault) {
      toastFault(fault);
    }
  };
  const services = [...new Set((status?.types ?? []).map((type) => parseTaskType(type)?.service ?? type))];
  return (
    <Panel
      span={6}
      title={
        <span className="cw-row">
          <Icon name="agent" /> {metadata.name} <Health agent={agent} />
          {spec?.draining === true && <Tag tone="warn">draining</Tag>}
          <Tag>{metadata.project === "system" ? "all projects" : `only ${metadata.project ?? ""}`}</Tag>
        </span>
      }
      actions={
        mayChange && (
          <Button size="xs" variant="default" onClick={() => void drain()}>
            {spec?.draining === true ? "Stop draining" : "Drain"}
          </Button>
        )
      }
    >
      <Facts
        of={[
          ["Description", spec?.description],
          ["Last seen", <Age key="seen" at={status?.lastSeenAt} />],
          ["Running", `${status?.runningTasks ?? 0} ${status?.runningTasks === 1 ? "task" : "tasks"}`],
          ["Capabilities", <Tags key="can" of={services} />],
          ["Labels", <Tags key="reach" of={Object.entries(status?.labels ?? {}).map(describeReach)} />],
          ["Version", status?.version],
        ]}
      />
      <AgentWork tasks={tasks} />
    </Panel>
  );
}

/** Agents send heartbeats every few seconds. An agent that has sent none for this long counts as unreachable. */
const silentMs = 60_000;

function Health({ agent: { status } }: { readonly agent: Agent }): ReactNode {
  const at = status?.lastSeenAt;
  if (at === undefined || at === "") return <Phase state="PENDING" />;
  return Date.now() - Date.parse(at) < silentMs ? <Phase state={status?.phase} /> : <Phase state="SILENT" />;
}

function describeReach([key, value]: [string, string]): string {
  return value === "*" ? `any ${key}` : `${key} ${value}`;
}

function Tags({ of }: { readonly of: readonly string[] }): ReactNode {
  return (
    <span className="cw-row" style={{ gap: 6 }}>
      {of.map((word) => (
        <Tag key={word}>{word}</Tag>
      ))}
    </span>
  );
}

import { Button, Modal } from "@mantine/core";
import type { EntityByKind, Stored } from "@cloudwright/api-client";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { client } from "../../data/client.ts";
import { useCan } from "../../data/permissions.ts";
import { useProject } from "../../data/project.ts";
import { agentsQuery } from "../../data/queries.ts";
import { CodeBlock } from "../../design/code.tsx";
import { Icon } from "../../design/icons.tsx";
import { Empty, Facts, FaultNote, Note, Page, Panel } from "../../design/layout.tsx";
import { Phase, Tag } from "../../design/status.tsx";
import { Age } from "../../design/time.tsx";
import { toast, toastFault } from "../../design/toasts.tsx";

type Agent = Stored<EntityByKind["Agent"]>;

/** Who does the work: the agents, whether they are there, and what they hold. */
export function AgentsPage(): ReactNode {
  const project = useProject();
  const can = useCan();
  const { data, error } = useQuery(agentsQuery(project));
  const [token, setToken] = useState<string>();
  const invite = (): void => void client.agents.createJoinToken(project).then(({ joinToken }) => setToken(joinToken), toastFault);
  return (
    <Page
      title="Agents"
      sub="They lease tasks and run Terraform, near the clouds they work on. They dial out only."
      actions={
        can("JoinToken", "create") && (
          <Button onClick={invite} leftSection={<Icon name="plus" size={16} />}>
            Add an agent
          </Button>
        )
      }
    >
      <Modal opened={token !== undefined} onClose={() => setToken(undefined)} title="Add an agent" size="lg">
        <div className="cw-stack">
          <Note tone="warn">
            <p>The token is shown once and lets one agent join, within an hour.</p>
          </Note>
          <CodeBlock
            label="On the agent's machine, in a clone"
            text={`CLOUDWRIGHT_SERVER=${location.origin} \\\nCLOUDWRIGHT_JOIN_TOKEN=${token ?? ""} \\\nCLOUDWRIGHT_AGENT_NAME=my-agent \\\nnpm run agent`}
          />
        </div>
      </Modal>
      <FaultNote error={error} />
      <div className="cw-grid">
        {data?.map((agent) => (
          <AgentCard
            key={agent.metadata.uid}
            agent={agent}
            mayChange={agent.metadata.project === project && can("Agent", "update")}
          />
        ))}
      </div>
      {data?.length === 0 && (
        <Panel>
          <Empty icon="agent" title="No agent that you can see">
            The embedded one works for all projects and is shown to those who have a role in the project "system".
          </Empty>
        </Panel>
      )}
    </Page>
  );
}

function AgentCard({ agent, mayChange }: { readonly agent: Agent; readonly mayChange: boolean }): ReactNode {
  const { metadata, spec, status } = agent;
  const queries = useQueryClient();
  const drain = async (): Promise<void> => {
    try {
      await client.agents.patch(metadata.project ?? "", metadata.name, { spec: { draining: spec?.draining !== true } });
      toast("good", spec?.draining === true ? `${metadata.name} takes tasks again` : `${metadata.name} takes no new tasks`);
      await queries.invalidateQueries({ queryKey: ["agents"] });
    } catch (fault) {
      toastFault(fault);
    }
  };
  const services = [...new Set((status?.types ?? []).map((type) => type.split(".")[0] ?? ""))];
  return (
    <Panel
      span={6}
      title={
        <span className="cw-row">
          <Icon name="agent" /> {metadata.name} <Phase state={status?.phase} />
          {spec?.draining === true && <Tag tone="warn">draining</Tag>}
          {metadata.project === "system" && <Tag>all projects</Tag>}
        </span>
      }
      actions={
        mayChange && (
          <Button size="xs" variant="default" onClick={() => void drain()}>
            {spec?.draining === true ? "Take tasks again" : "Drain"}
          </Button>
        )
      }
    >
      <Facts
        of={[
          ["Seen", <Age key="seen" at={status?.lastSeenAt} />],
          ["Works on", `${status?.runningTasks ?? 0} tasks`],
          [
            "Can do",
            <span key="can" className="cw-row" style={{ gap: 6 }}>
              {services.map((service) => (
                <Tag key={service}>{service}</Tag>
              ))}
            </span>,
          ],
          [
            "Reaches",
            <span key="reach" className="cw-row" style={{ gap: 6 }}>
              {Object.entries(status?.labels ?? {}).map(([key, value]) => (
                <Tag key={key}>
                  {key}={value}
                </Tag>
              ))}
            </span>,
          ],
          ["Version", status?.version],
          ["Description", spec?.description],
        ]}
      />
    </Panel>
  );
}

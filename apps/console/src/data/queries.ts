import type {
  DriftJson,
  RunJson,
  SimulatedFaultJson,
  SimulatedRecordJson,
  StateJson,
  StateVersionJson,
  TaskLogLineJson,
} from "@cloudwright/api-client";
import { queryOptions } from "@tanstack/react-query";
import { client } from "./client.ts";
import { permissionsQuery, readPermissions } from "./permissions.ts";

/** Reads a list to its end, or until it has `most` items. */
async function gather<Item>(items: AsyncIterable<Item>, most: number): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) {
    all.push(item);
    if (all.length >= most) break;
  }
  return all;
}

/** The newest runs of an entity, or of the whole project. */
export const runsQuery = (project: string, entity?: string) =>
  queryOptions({
    queryKey: ["runs", project, entity ?? ""],
    queryFn: ({ signal }): Promise<RunJson[]> => gather(client.runs.listAll(project, { entity, pageSize: 200, signal }), 400),
  });

/** The planned changes of a run. */
export const planQuery = (project: string, uid: string) =>
  queryOptions({
    queryKey: ["plan", project, uid],
    queryFn: ({ signal }) => client.runs.plan(project, uid, { signal }),
    retry: false,
  });

/** The drift reports of an entity, or of the whole project. */
export const driftsQuery = (project: string, entity?: string) =>
  queryOptions({
    queryKey: ["drifts", project, entity ?? ""],
    queryFn: ({ signal }): Promise<DriftJson[]> =>
      gather(client.drifts.listAll(project, { entity, all: true, pageSize: 200, signal }), 400),
  });

/** The timeline entries of an operation. */
export const timelineQuery = (project: string, operation: string) =>
  queryOptions({
    queryKey: ["timeline", project, operation],
    queryFn: ({ signal }) => client.operations.timeline(project, operation, { signal }),
  });

const logPage = 1000;
const mostLines = 20_000;

/** The log of a task. Keeps the lines read so far and requests only newer ones. */
export const logsQuery = (project: string, task: string) =>
  queryOptions({
    queryKey: ["logs", project, task],
    enabled: task !== "",
    queryFn: async ({ signal, client: queries }): Promise<readonly TaskLogLineJson[]> => {
      let lines = queries.getQueryData<readonly TaskLogLineJson[]>(["logs", project, task]) ?? [];
      for (;;) {
        const last = lines.at(-1);
        const after = last === undefined ? undefined : `${last.attempt ?? 0}.${last.seq ?? 0}`;
        const more = await client.tasks.logs(project, task, { after, pageSize: logPage, signal });
        if (more.length > 0) lines = [...lines, ...more].slice(-mostLines);
        if (more.length < logPage) return lines;
      }
    },
  });

/**
 * The events of one entity, newest first. Empty for users whose role covers only some environments, because the API denies them this
 * list.
 */
export const eventsQuery = (project: string, entityUid: string) =>
  queryOptions({
    queryKey: ["events", project, entityUid],
    queryFn: async ({ signal, client: queries }) => {
      const can = readPermissions(await queries.ensureQueryData(permissionsQuery(project)));
      if (!can("Event", "list")) return [];
      const filter = entityUid === "" ? {} : { filter: `entityUid=${entityUid}` };
      return (await client.events.list(project, { pageSize: 100, signal, ...filter })).items;
    },
  });

/** The Terraform states of a project. */
export const statesQuery = (project: string) =>
  queryOptions({
    queryKey: ["states", project],
    queryFn: ({ signal }): Promise<StateJson[]> => gather(client.states.listAll(project, { pageSize: 200, signal }), 2000),
  });

/** The versions of one state, newest first. */
export const stateVersionsQuery = (project: string, uid: string) =>
  queryOptions({
    queryKey: ["state", project, uid, "versions"],
    queryFn: ({ signal }): Promise<StateVersionJson[]> => gather(client.states.versions(project, uid, { signal }), 200),
  });

/** The resources in the newest version of a state, and those that users told the platform to forget. */
export const stateResourcesQuery = (project: string, uid: string) =>
  queryOptions({
    queryKey: ["state", project, uid, "resources"],
    queryFn: ({ signal }) => client.states.resources(project, uid, { signal }),
  });

/** The differences between two versions of a state. */
export const stateDiffQuery = (project: string, uid: string, from: number, to: number) =>
  queryOptions({
    queryKey: ["state", project, uid, "diff", from, to],
    queryFn: ({ signal }) => client.states.diff(project, uid, { from, to, signal }),
    enabled: from > 0 && to > 0,
  });

/** The settings of a simulated cloud. */
export const simulationQuery = (project: string, account: string) =>
  queryOptions({
    queryKey: ["simulation", project, account],
    queryFn: ({ signal }) => client.simulations.get(project, account, { signal }),
  });

/** The resources of a simulated cloud. */
export const recordsQuery = (project: string, account: string) =>
  queryOptions({
    queryKey: ["simulation", project, account, "records"],
    queryFn: ({ signal }): Promise<SimulatedRecordJson[]> =>
      gather(client.simulations.records(project, account, { signal }), 5000),
  });

/** The pending faults of a simulated cloud. */
export const faultsQuery = (project: string, account: string) =>
  queryOptions({
    queryKey: ["simulation", project, account, "faults"],
    queryFn: ({ signal }): Promise<SimulatedFaultJson[]> => gather(client.simulations.faults(project, account, { signal }), 500),
  });

/** The agents that serve a project: the project's own agents and, if the user can see them, the shared ones. */
export const agentsQuery = (project: string) =>
  queryOptions({
    queryKey: ["agents", project],
    queryFn: async ({ signal, client: queries }) => {
      const own = await gather(client.agents.listAll(project, { signal }), 1000);
      const { grants } = await queries.ensureQueryData(whoAmIQuery);
      // Skips the request if the user has no role in `system`. The request would be denied every five seconds, and each denial would add an
      // audit record.
      if (project === "system" || grants?.some((grant) => grant.project === "system") !== true) return own;
      return [...own, ...(await gather(client.agents.listAll("system", { signal }), 1000))];
    },
    refetchInterval: 5000,
  });

/** The running and recent tasks of a project, newest first. */
export const workQuery = (project: string) =>
  queryOptions({
    queryKey: ["work", project],
    queryFn: async ({ signal }) => {
      const now = await gather(client.tasks.listAll(project, { filter: "status.state=LEASED", pageSize: 200, signal }), 200);
      const lately = await gather(client.tasks.listAll(project, { pageSize: 100, signal }), 100);
      return [...new Map([...now, ...lately].map((task) => [task.metadata.uid, task])).values()];
    },
    refetchInterval: 3000,
  });

/** The audit records of a project, newest first. */
export const auditQuery = (project: string, filter: string) =>
  queryOptions({
    queryKey: ["audit", project, filter],
    queryFn: ({ signal }) =>
      gather(client.auditRecords.listAll(project, { pageSize: 200, signal, ...(filter === "" ? {} : { filter }) }), 1000),
  });

/** The user's API keys. For platform owners, all API keys. */
export const apiKeysQuery = queryOptions({
  queryKey: ["apikeys"],
  queryFn: ({ signal }) => gather(client.apiKeys.listAll({ signal }), 1000),
});

/** The projects the user can see. */
export const projectsQuery = queryOptions({
  queryKey: ["projects"],
  queryFn: ({ signal }) => gather(client.projects.listAll({ signal }), 1000),
  staleTime: 60_000,
});

/** The state backends outside the platform. Only operators can list them. */
export const backendsQuery = queryOptions({
  queryKey: ["backends"],
  queryFn: ({ signal }) => gather(client.backends.listAll({ signal }), 1000),
});

/** The agents that all projects share. */
export const sharedAgentsQuery = queryOptions({
  queryKey: ["agents", "system"],
  queryFn: ({ signal }) => gather(client.agents.listAll("system", { signal }), 1000),
});

/** The accounts of a project. The project need not be the one that is currently open. */
export const accountsQuery = (project: string) =>
  queryOptions({
    queryKey: ["accounts", project],
    queryFn: ({ signal }) => gather(client.accounts.listAll(project, { signal }), 1000),
    enabled: project !== "",
    staleTime: 60_000,
  });

/** The current user and the user's roles. */
export const whoAmIQuery = queryOptions({
  queryKey: ["whoami"],
  queryFn: ({ signal }) => client.whoAmI({ signal }),
  staleTime: 60_000,
});

import { hasRoleIn, type Call } from "./authorise.ts";
import { createCallerTurns } from "./caller-turns.ts";

/**
 * Limits how many states and plans are read at the same time, per caller and per project. A single document can occupy 128 MiB of memory.
 */
export interface DocumentTurns {
  run<Result>(
    key: string,
    call: Call,
    project: string,
    work: () => Promise<Result>,
    isGone: (() => boolean) | undefined,
  ): Promise<Result>;
}

const callerLimits = { running: 2, waiting: 100 };
export const projectLimits = {
  running: 4,
  waiting: 100,
  describe: (project: string, requests: number): string =>
    `${requests} requests for states and plans in project ${project} are already in progress`,
};

/**
 * Creates the limiter for one server. A caller's limit applies separately in each project, so that a busy project does not delay the
 * caller's reads in other projects. A caller without a role in a project cannot use up the project's limit.
 */
export function createDocumentTurns(): DocumentTurns {
  const callers = createCallerTurns(callerLimits);
  const projects = createCallerTurns(projectLimits);
  return {
    run: (key, { caller }, project, work, isGone) =>
      caller === undefined || !hasRoleIn(caller, project)
        ? callers.run(key, work, isGone)
        : callers.run(`${key} ${project}`, () => projects.run(project, work, isGone), isGone),
  };
}

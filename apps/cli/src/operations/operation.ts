import type { EntityByKind, Stored } from "@cloudwright/api-client";
import { getKind, isEntityKind } from "@cloudwright/contract/kinds";
import type { Session } from "../connection/session.ts";

export type Operation = Stored<EntityByKind["Operation"]>;

/** The name and project of an operation. */
export interface OperationRef {
  readonly project: string;
  readonly name: string;
}

export function isOpen({ status }: Operation): boolean {
  return !["DONE", "FAILED", "CANCELLED"].includes(status?.state ?? "");
}

/** Renders the verb and entity of an operation, such as `create cluster/dev`. */
export function renderDeed({ spec = {} }: Operation): string {
  const { verb = "change", entityKind = "", entityName = "", candidateKind, candidateName } = spec;
  // A preflight refers to the entity that is to be created, not to its parent.
  const [kind, name] = candidateName ? [candidateKind || "Cluster", candidateName] : [entityKind, entityName];
  const word = isEntityKind(kind) ? getKind(kind).words[0] : kind.toLowerCase();
  return `${verb} ${word}/${name}`;
}

/** Renders the state of an operation, such as `RUNNING 40%: creating subnets`. */
export function renderStanding(operation: Operation): string {
  const { state = "WAITING", progressPercent = 0, message = "" } = operation.status ?? {};
  const percent = isOpen(operation) && progressPercent > 0 ? ` ${progressPercent}%` : "";
  const more = message === "" || message.toUpperCase() === state ? "" : `: ${message}`;
  return `${state}${percent}${more}`;
}

const mostNamed = 5;

/** Renders the commands that follow the given operations. */
export function renderFollowCommands(session: Session, refs: readonly OperationRef[]): string[] {
  const projects = new Set(refs.map(({ project }) => project));
  return [...projects].map((project) => {
    const names = refs.filter((ref) => ref.project === project).map(({ name }) => name);
    const where = session.projectIsExplicit || project !== session.project ? ` -p ${project}` : "";
    return names.length > mostNamed ? `cloud${where} watch operations` : `cloud${where} operation watch ${names.join(" ")}`;
  });
}

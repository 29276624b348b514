import { getKind, isEntityKind } from "../kinds/registry.ts";
import { services, stackActions } from "./task-services.ts";

/** First part of a task type. Each kind that has its own tasks has a service. */
export type TaskService = keyof typeof services;

/** An action that every service built from a Terraform configuration has. */
export type StackAction = keyof typeof stackActions;

/** Name of an action in code, which can differ from the name in stored tasks. */
export type TaskAction = { [Service in TaskService]: keyof (typeof services)[Service] }[TaskService];

/** A task type as stored and sent, for example `network.apply`. */
export type TaskTypeName = {
  [Service in TaskService]: `${Service}.${Extract<(typeof services)[Service][keyof (typeof services)[Service]], string>}`;
}[TaskService];

/** A task type split into its parts. */
export interface TaskType {
  readonly service: TaskService;
  readonly action: TaskAction;
  readonly name: TaskTypeName;
  /** The action as stored and sent, such as `check` in `network.check`. */
  readonly actionWord: string;
}

const all: readonly TaskType[] = Object.entries(services).flatMap(([service, actions]) =>
  Object.entries(actions).map(
    ([action, word]) => ({ service, action, name: `${service}.${word}`, actionWord: word }) as TaskType,
  ),
);
const byName: ReadonlyMap<string, TaskType> = new Map(all.map((type) => [type.name, type]));

/** Names of all task types that the platform creates. */
export const taskTypes: readonly TaskTypeName[] = all.map(({ name }) => name);

/** Splits a task type into its parts. Returns undefined if this release does not know the type. */
export function parseTaskType(name: string): TaskType | undefined {
  return byName.get(name);
}

/** Returns the task type for a service and action. Throws if the service has no such action. */
export function formatTaskType(service: TaskService, action: TaskAction): TaskTypeName {
  const type = all.find((each) => each.service === service && each.action === action);
  if (type === undefined) throw new Error(`the service ${service} has no action ${action}`);
  return type.name;
}

/** Returns whether a task type has one of these actions. False for unknown types. */
export function hasAction(name: string, ...actions: readonly TaskAction[]): boolean {
  const type = byName.get(name);
  return type !== undefined && actions.includes(type.action);
}

/** Lists the task types that have one of these actions, across all services. */
export function taskTypesOf(...actions: readonly TaskAction[]): readonly TaskTypeName[] {
  return all.filter(({ action }) => actions.includes(action)).map(({ name }) => name);
}

/** Lists the task types of a service. Returns an empty list for an unknown service. */
export function taskTypesOfService(service: string): readonly TaskTypeName[] {
  return all.filter((type) => type.service === service).map(({ name }) => name);
}

/** A task type of a plug-in's service. The platform itself does not create such tasks. */
export type PlugInTaskType = Omit<TaskType, "service" | "name"> & { readonly service: string; readonly name: string };

/** Lists the task types of a plug-in's service. Such a service has the same actions as every service that is built from a configuration. */
export function listPlugInTaskTypes(service: string): readonly PlugInTaskType[] {
  return (Object.entries(stackActions) as [StackAction, string][]).map(([action, word]) => ({
    service,
    action,
    name: `${service}.${word}`,
    actionWord: word,
  }));
}

/**
 * Returns the service whose tasks build entities of a kind. For parts such as node pools, this is the owner's service. Throws if the kind
 * has no tasks.
 */
export function getTaskService(kind: string): TaskService {
  const { builtByOwnerAs, parent } = isEntityKind(kind) ? getKind(kind) : {};
  const service = (builtByOwnerAs === undefined ? kind : (parent?.kind ?? "")).toLowerCase();
  if (!Object.hasOwn(services, service)) throw new Error(`the kind ${kind} has no tasks`);
  return service as TaskService;
}

/** Task types whose result contains the outputs of an entity. */
export const buildingTaskTypes: readonly TaskTypeName[] = taskTypesOf("verify", "apply");

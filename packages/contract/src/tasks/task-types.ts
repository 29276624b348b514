import { getKind, isEntityKind } from "../kinds/registry.ts";
import { services, stackActions } from "./task-services.ts";

/** The part of the platform that a task belongs to: one for each kind that has tasks of its own. */
export type TaskService = keyof typeof services;

/** An action that every service with a configuration has. */
export type StackAction = keyof typeof stackActions;

/** What a task does, by the name that code uses. */
export type TaskAction = { [Service in TaskService]: keyof (typeof services)[Service] }[TaskService];

/** A task type as it is stored and sent: `network.apply`. */
export type TaskTypeName = {
  [Service in TaskService]: `${Service}.${Extract<(typeof services)[Service][keyof (typeof services)[Service]], string>}`;
}[TaskService];

/** A task type in parts. */
export interface TaskType {
  readonly service: TaskService;
  readonly action: TaskAction;
  readonly name: TaskTypeName;
  /** The action as it is stored and sent, such as `check` in `network.check`. */
  readonly actionWord: string;
}

const all: readonly TaskType[] = Object.entries(services).flatMap(([service, actions]) =>
  Object.entries(actions).map(
    ([action, word]) => ({ service, action, name: `${service}.${word}`, actionWord: word }) as TaskType,
  ),
);
const byName: ReadonlyMap<string, TaskType> = new Map(all.map((type) => [type.name, type]));

/** The name of every task type that the platform writes. */
export const taskTypes: readonly TaskTypeName[] = all.map(({ name }) => name);

/** Returns the parts of a task type. Returns undefined if this release does not know the type. */
export function parseTaskType(name: string): TaskType | undefined {
  return byName.get(name);
}

/** Returns the name of the task type that does `action` for `service`. Throws if the service has no such action. */
export function formatTaskType(service: TaskService, action: TaskAction): TaskTypeName {
  const type = all.find((each) => each.service === service && each.action === action);
  if (type === undefined) throw new Error(`the service ${service} has no action ${action}`);
  return type.name;
}

/** Returns whether a task type does one of these actions. An unknown type does none of them. */
export function hasAction(name: string, ...actions: readonly TaskAction[]): boolean {
  const type = byName.get(name);
  return type !== undefined && actions.includes(type.action);
}

/** Lists the task types that do one of these actions, of any service. */
export function taskTypesOf(...actions: readonly TaskAction[]): readonly TaskTypeName[] {
  return all.filter(({ action }) => actions.includes(action)).map(({ name }) => name);
}

/** Lists the task types of a service. Returns no types if there is no such service. */
export function taskTypesOfService(service: string): readonly TaskTypeName[] {
  return all.filter((type) => type.service === service).map(({ name }) => name);
}

/** A task type of a plug-in's service. The platform itself writes no tasks of it. */
export type PlugInTaskType = Omit<TaskType, "service" | "name"> & { readonly service: string; readonly name: string };

/** Lists the task types of a service that a plug-in builds. Such a service has the actions of every service with a configuration. */
export function listPlugInTaskTypes(service: string): readonly PlugInTaskType[] {
  return (Object.entries(stackActions) as [StackAction, string][]).map(([action, word]) => ({
    service,
    action,
    name: `${service}.${word}`,
    actionWord: word,
  }));
}

/** Returns the service whose tasks build entities of a kind; its owner's if the owner's runs build it. Throws if the kind has no tasks. */
export function getTaskService(kind: string): TaskService {
  const { builtByOwnerAs, parent } = isEntityKind(kind) ? getKind(kind) : {};
  const service = (builtByOwnerAs === undefined ? kind : (parent?.kind ?? "")).toLowerCase();
  if (!Object.hasOwn(services, service)) throw new Error(`the kind ${kind} has no tasks`);
  return service as TaskService;
}

/** The types whose outcome holds the outputs of an entity. */
export const buildingTaskTypes: readonly TaskTypeName[] = taskTypesOf("verify", "apply");

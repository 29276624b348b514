import type { ApiRequest, Answer } from "./answer.ts";
import type { ArmStore, Resource } from "./arm-store.ts";

/** How Azure treats the resources of a type. Resources of types without an entry are stored as sent. */
export interface ResourceType {
  /** Status codes that Azure returns for creation, update and deletion. */
  readonly statuses?: { readonly create?: number; readonly update?: number; readonly remove?: number };
  /** Types of the resource's children, keyed by the property that lists them. */
  readonly children?: Readonly<Record<string, string>>;
  /**
   * Adds the properties that Azure computes to a resource before it is stored. Throws an `AzureRefusal` if Azure would reject the resource.
   */
  complete?(resource: Resource, previous: Resource | undefined, store: ArmStore): void;
  /** Converts a copy of a stored resource into the form that a GET returns. */
  render?(resource: Resource, store: ArmStore): Resource;
  /** Throws an `AzureRefusal` if the resource cannot be deleted. */
  checkRemoval?(resource: Resource, store: ArmStore): void;
  /** Called after a resource of this type is deleted. */
  removed?(resource: Resource, store: ArmStore): void;
  /** Answers GET requests for paths under the resource, except for lists of resources. `name` is the last path segment in lower case. */
  read?(name: string, resource: Resource): object | undefined;
  /** Answers a POST request to a path under the resource. `action` is the last path segment. */
  act?(action: string, resource: Resource, request: ApiRequest, store: ArmStore): Answer | undefined;
}

/** Thrown when Azure would reject a request. Contains the status and error code of the response. */
export class AzureRefusal extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Throws an `AzureRefusal` with status 400 if `condition` is true. */
export function refuse(condition: boolean, code: string, message: string): void {
  if (condition) throw new AzureRefusal(400, code, message);
}

import { renderError, type Answer, type ApiRequest } from "./answer.ts";
import { copy, merge, type ArmStore, type Resource } from "./arm-store.ts";
import { parseResourceId, type ResourceId } from "./resource-id.ts";
import { AzureRefusal, type ResourceType } from "./resource-type.ts";

/** Answers requests to Azure Resource Manager. */
export interface ArmApi {
  answer(request: ApiRequest): Answer;
}

// By default, providers wait ten seconds before they poll an operation again.
const impatient = { "X-Go-Azure-Sdk-Skip-Polling-Delay": "true" };

export function createArmApi(store: ArmStore, types: Readonly<Record<string, ResourceType>>): ArmApi {
  /** Number of times that each operation was polled. */
  const operations = new Map<string, number>();

  function startOperation({ subscription }: ResourceId): Record<string, string> {
    const path = `/subscriptions/${subscription}/providers/Microsoft.Operations/operationStatuses/${operations.size + 1}`;
    operations.set(path, 0);
    return { "Azure-AsyncOperation": `https://management.azure.com${path}?api-version=2020-01-01` };
  }

  function answerOperation(path: string): Answer {
    const seen = operations.get(path);
    if (seen === undefined) return renderError(404, "OperationNotFound", `The operation ${path} was not found.`);
    operations.set(path, seen + 1);
    return { status: 200, body: { id: path, name: path.split("/").at(-1), status: seen === 0 ? "InProgress" : "Succeeded" } };
  }

  /** Renders a resource with its children, as Azure returns it for a GET. */
  function render(resource: Resource): Resource {
    const { type } = parseResourceId(resource.id);
    const rendered = copy(resource);
    for (const [property, child] of Object.entries(types[type]?.children ?? {})) {
      rendered.properties[property] = store.list(child, resource.id).map(render);
    }
    return types[type]?.render?.(rendered, store) ?? rendered;
  }

  function write(path: string, id: ResourceId, body: Record<string, unknown>, previous: Resource | undefined): Resource {
    const type = types[id.type] ?? {};
    const resource: Resource = {
      ...copy(body),
      id: previous?.id ?? path,
      name: previous?.name ?? id.name,
      type: id.type,
      properties: copy(body["properties"] ?? {}),
    };
    const children = Object.entries(type.children ?? {}).map(([property, child]) => {
      const given = resource.properties[property] as Resource[] | undefined;
      delete resource.properties[property];
      return { property, child, given };
    });
    type.complete?.(resource, previous, store);
    resource.properties.provisioningState = "Succeeded";
    store.put(resource);
    for (const { property, child, given } of children) {
      if (given === undefined) continue;
      const names = new Set(given.map(({ name }) => name.toLowerCase()));
      for (const old of store.list(child, path)) if (!names.has(old.name.toLowerCase())) store.remove(old.id);
      for (const each of given) {
        const childPath = `${resource.id}/${property}/${each.name}`;
        write(childPath, parseResourceId(childPath), each, store.get(childPath));
      }
    }
    return resource;
  }

  function checkPlace(id: ResourceId): void {
    const groupId = `/subscriptions/${id.subscription}/resourceGroups/${id.group}`;
    if (id.group !== "" && id.type !== "microsoft.resources/resourcegroups" && store.get(groupId) === undefined) {
      throw new AzureRefusal(404, "ResourceGroupNotFound", `Resource group '${id.group}' could not be found.`);
    }
    if (id.type.split("/").length > 2 && store.get(id.parent) === undefined) {
      throw new AzureRefusal(404, "ParentResourceNotFound", `The parent of ${id.name} could not be found: ${id.parent}.`);
    }
  }

  function answerResource(request: ApiRequest, id: ResourceId): Answer {
    const { method, path } = request;
    const found = store.get(path);
    const type = types[id.type] ?? {};
    const body = (request.body ?? {}) as Record<string, unknown>;
    const missing = renderError(404, "ResourceNotFound", `The resource ${path} was not found.`);
    switch (method) {
      case "GET":
        return found === undefined ? missing : { status: 200, body: render(found) };
      case "HEAD":
        return { status: found === undefined ? 404 : 204 };
      case "PUT":
      case "PATCH": {
        checkPlace(id);
        if (method === "PATCH" && found === undefined) return missing;
        const whole = method === "PUT" ? body : merge(copy(found ?? {}), body);
        const stored = write(path, id, whole, found);
        const created = type.statuses?.create ?? 201;
        const status = found === undefined ? created : (type.statuses?.update ?? 200);
        const headers = status === 200 ? {} : startOperation(id);
        return { status, body: { ...render(stored) }, headers };
      }
      case "DELETE": {
        if (found === undefined) return { status: 204 };
        type.checkRemoval?.(found, store);
        store.remove(path);
        type.removed?.(found, store);
        const status = type.statuses?.remove ?? 202;
        return { status, headers: status === 202 ? startOperation(id) : {} };
      }
      default:
        return renderError(405, "MethodNotAllowed", `${method} ${path}`);
    }
  }

  function answerCollection(request: ApiRequest, id: ResourceId): Answer {
    const parent = store.get(id.parent);
    const read =
      parent === undefined ? undefined : types[parseResourceId(parent.id).type]?.read?.(id.type.split("/").at(-1) ?? "", parent);
    if (request.method === "GET" && read !== undefined) return { status: 200, body: read };
    if (request.method === "GET") {
      const filter = request.query.get("$filter") ?? "";
      const [name, type] = [/\bname eq '([^']+)'/i, /\bresourceType eq '([^']+)'/i].map((each) =>
        each.exec(filter)?.[1]?.toLowerCase(),
      );
      const isWanted = (each: Resource): boolean =>
        (name === undefined || each.name.toLowerCase() === name) &&
        (type === undefined || parseResourceId(each.id).type === type);
      const below = id.parent === "" ? "" : id.parent;
      const all = ["resources", "microsoft.resources/resources"].includes(id.type)
        ? store.listAll().filter((each) => each.id.toLowerCase().startsWith(`${below.toLowerCase()}/`) && isTracked(each))
        : store.list(id.type, below);
      return { status: 200, body: { value: all.filter(isWanted).map(render) } };
    }
    if (request.method !== "POST" || parent === undefined) {
      return renderError(404, "NotFound", `The local server does not implement ${request.method} ${request.path}.`);
    }
    const action = request.path.split("/").at(-1) ?? "";
    const answer = types[parseResourceId(parent.id).type]?.act?.(action, parent, request, store);
    if (answer?.status === 202) return { ...answer, headers: startOperation(id) };
    return answer ?? renderError(404, "NotFound", `The local server does not implement ${request.method} ${request.path}.`);
  }

  return {
    answer(request) {
      const id = parseResourceId(request.path);
      try {
        const isOperation = id.type === "microsoft.operations/operationstatuses";
        const answer = isOperation
          ? answerOperation(request.path)
          : id.isCollection
            ? answerCollection(request, id)
            : answerResource(request, id);
        return { ...answer, headers: { ...impatient, ...answer.headers } };
      } catch (error) {
        if (!(error instanceof AzureRefusal)) throw error;
        return renderError(error.status, error.code, error.message);
      }
    },
  };
}

/** Returns whether Azure includes a resource in the list of its resource group. The list contains only top-level resources. */
function isTracked(resource: Resource): boolean {
  const { type, group } = parseResourceId(resource.id);
  return (
    group !== "" &&
    type.split("/").length === 2 &&
    type !== "microsoft.resources/resourcegroups" &&
    !type.startsWith("microsoft.authorization/")
  );
}

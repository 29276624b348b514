/** The parts of a request path in Azure Resource Manager. */
export interface ResourceId {
  /** Resource type in lower case, for example `microsoft.network/virtualnetworks/subnets`. */
  readonly type: string;
  readonly name: string;
  readonly subscription: string;
  /** Name of the resource group, or an empty string if the path has none. */
  readonly group: string;
  /** Id of the resource or resource group that contains this one. For an extension resource, the id of its scope. */
  readonly parent: string;
  /** True if the path ends with a type instead of a name. Such a path addresses a list, or an action on the parent. */
  readonly isCollection: boolean;
}

/** Parses the path of a request to Azure Resource Manager. */
export function parseResourceId(path: string): ResourceId {
  const segments = path.split("/").filter((segment) => segment !== "");
  const subscription = segments[1] ?? "";
  const group = segments[2]?.toLowerCase() === "resourcegroups" ? (segments[3] ?? "") : "";
  const last = segments.map((segment) => segment.toLowerCase()).lastIndexOf("providers");
  if (last < 0) {
    const type = `microsoft.resources/${(segments[segments.length <= 3 ? segments.length - 1 : 2] ?? "").toLowerCase()}`;
    const isCollection = segments.length % 2 === 1;
    if (segments.length <= 4) return { type, name: group, subscription, group, parent: "", isCollection };
    return {
      type: (segments[4] ?? "").toLowerCase(),
      name: "",
      subscription,
      group,
      parent: `/${segments.slice(0, 4).join("/")}`,
      isCollection,
    };
  }
  const [namespace = "", ...pairs] = segments.slice(last + 1);
  const types = pairs.filter((_, index) => index % 2 === 0);
  const isCollection = pairs.length % 2 === 1;
  const kept = pairs.length - (isCollection ? 1 : 2);
  const parent = kept <= 0 ? segments.slice(0, last) : segments.slice(0, segments.length - (isCollection ? 1 : 2));
  return {
    type: [namespace, ...types].join("/").toLowerCase(),
    name: isCollection ? "" : (pairs.at(-1) ?? ""),
    subscription,
    group,
    parent: `/${parent.join("/")}`,
    isCollection,
  };
}

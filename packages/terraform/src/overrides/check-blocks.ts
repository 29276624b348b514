import { cloudNames, getCloud } from "@cloudwright/contract/clouds";
import { isObject, type ReadonlyJson } from "@cloudwright/platform";
import { checkLifecycle } from "./check-lifecycle.ts";
import { checkReference, checkReferences } from "./check-references.ts";
import { checkReserved, checkReservedName } from "./check-reserved.ts";
import { checkKey, checkValue, isName } from "./check-value.ts";
import { commentKey, listMembers, listPlaced, type Placed } from "./json-blocks.ts";
import type { AllowedInOverrides, OverrideProblem } from "./override-problem.ts";

// Providers that run programs, read files or call URLs. Overrides may not use them, even if the stack does.
const refusedProviders = new Set(["external", "http", "local", "archive", "template"]);

// Arguments that make ordinary resources read files on the machine that runs Terraform.
const readingArguments: readonly (readonly [RegExp, string])[] = [
  ...cloudNames.flatMap((name) => getCloud(name).terraform.fileUploads),
  [/^helm_release$/, "postrender"],
];

// Provider settings that do not affect the provider's endpoint, identity or tags.
const harmlessSettings = new Set([
  "alias",
  "max_retries",
  "retry_mode",
  "token_bucket_rate_limiter_capacity",
  "request_timeout",
  "request_reason",
  "batching",
]);

/** Returns the problems in one resource or data source block. */
export function checkResourceBlock(
  mode: "resource" | "data",
  type: string,
  { path, value }: Placed,
  allowed: AllowedInOverrides,
): readonly OverrideProblem[] {
  const refused = checkType(mode, type, allowed);
  if (refused !== undefined) return [{ path, message: refused }];
  if (!isObject(value)) return [{ path, message: "use an object with the arguments to change" }];
  return listMembers(value, path).flatMap((argument) => [
    ...checkKey(argument.key, argument.path),
    ...checkReserved(argument, allowed),
    ...checkArgument(type, argument, allowed),
  ]);
}

/** Returns the problems in one provider block. Only a short list of settings is allowed, without templates. */
export function checkProviderBlock(
  name: string,
  { path, value }: Placed,
  allowed: AllowedInOverrides,
): readonly OverrideProblem[] {
  if (!allowed.providers.includes(name))
    return [{ path, message: `the stack has no provider ${JSON.stringify(name)}; remove the block` }];
  if (!isObject(value)) return [{ path, message: "use an object with the settings to change" }];
  return listMembers(value, path).flatMap((setting) => {
    if (setting.key === commentKey) return [];
    if (!harmlessSettings.has(setting.key)) {
      const message =
        "the platform sets a provider's credentials, addresses, regions and tags; only retries and timeouts can be overridden";
      return [{ path: setting.path, message }];
    }
    return hasTemplate(setting.value)
      ? [{ path: setting.path, message: "provider settings must be plain values without templates" }]
      : [];
  });
}

function checkType(mode: "resource" | "data", type: string, allowed: AllowedInOverrides): string | undefined {
  const [provider = ""] = type.split("_");
  if (!isName(type) || provider === "") return `${JSON.stringify(type)} is not a resource type`;
  if (refusedProviders.has(provider))
    return `${type} runs programs, reads files or calls URLs on the agent's machine; remove the block`;
  if (mode === "data" && provider === "terraform") return `${type} reads another stack's state; remove the block`;
  if (!allowed.providers.includes(provider))
    return `the stack has no provider ${JSON.stringify(provider)}; override only resources in its configuration`;
  return undefined;
}

function checkArgument(
  type: string,
  argument: Placed & { readonly key: string },
  allowed: AllowedInOverrides,
): readonly OverrideProblem[] {
  const { key, path, value } = argument;
  if (readingArguments.some(([types, name]) => name === key && types.test(type))) {
    return [
      { path, message: `${key} of ${type} reads a file or runs a program on the agent's machine; specify the content directly` },
    ];
  }
  switch (key) {
    case commentKey:
      return [];
    case "lifecycle":
      return checkLifecycle(argument);
    case "depends_on":
      return checkReferences(argument);
    case "provider":
      return checkProviderChoice(path, value, allowed);
    case "dynamic":
      return [...listBlocks(argument).flatMap((block) => checkReservedName(block, allowed)), ...checkValue(argument)];
    default:
      return checkValue(argument);
  }
}

function listBlocks(placed: Placed): (Placed & { readonly key: string })[] {
  return listPlaced(placed).flatMap(({ path, value }) => (isObject(value) ? listMembers(value, path) : []));
}

function checkProviderChoice(path: string, value: ReadonlyJson, allowed: AllowedInOverrides): readonly OverrideProblem[] {
  const isKnown =
    typeof value === "string" && checkReference(value).length === 0 && allowed.providers.includes(value.split(".")[0] as string);
  return isKnown ? [] : [{ path, message: "use one of the stack's own providers, such as NAME or NAME.ALIAS" }];
}

function hasTemplate(value: ReadonlyJson): boolean {
  if (typeof value === "string") return /[$%]\{/.test(value);
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([key, inner]) => /[$%]\{/.test(key) || hasTemplate(inner));
}

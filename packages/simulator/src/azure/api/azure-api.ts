import type { ApiOperation, ApiRequest, ApiService, Caller, OpenedCall, ServiceDeps } from "../../api/api-service.ts";
import { aksOperations } from "./aks/operations.ts";
import { checkVersion, matchOperation, parseBody } from "./arm-request.ts";
import { computeOperations } from "./compute/operations.ts";
import { isConsoleLink, openConsoleLink } from "./compute/console.ts";
import { authenticate, idsOf, issueClientSecret } from "./credentials.ts";
import { armHeaders, refuse, renderArmError, renderLoginError } from "./errors.ts";
import { answerDiscovery } from "./login/discovery.ts";
import { isTokenRequest, openTokenRequest } from "./login/token.ts";
import { identityOperations } from "./identity/operations.ts";
import { networkOperations } from "./network/operations.ts";
import { resourceOperations } from "./resources/operations.ts";

const operations: readonly ApiOperation[] = [
  ...resourceOperations,
  ...aksOperations,
  ...computeOperations,
  ...networkOperations,
  ...identityOperations,
];

/** The resource group for clients that do not specify one. */
const defaultGroup = "cloudwright";

/** The Azure API: the login endpoint, Azure Resource Manager, AKS, Compute, Network and identities. The path of a request names its service. */
export const azureApi: ApiService = {
  claims: (request) =>
    /^\/(subscriptions|tenants)(\/|$)/i.test(request.rawPath) ||
    isTokenRequest(request) ||
    isConsoleLink(request) ||
    answerDiscovery(request, "") !== undefined,
  answerPublic: answerDiscovery,
  // The `Authorization` header of these requests is not verified before the body arrives, so it must not grant higher limits.
  credentialOf(head) {
    if (isTokenRequest(head) || isConsoleLink(head)) return "";
    return head.headers.find(([name]) => name === "authorization")?.[1] ?? "";
  },
  async admit(head, deps) {
    if (!isTokenRequest(head) && !isConsoleLink(head)) await authenticate(head, deps);
  },
  async open(request, deps) {
    if (isTokenRequest(request)) return openTokenRequest(request, deps);
    if (isConsoleLink(request)) return openConsoleLink(request, deps);
    return openManagementRequest(request, deps);
  },
  renderAnswer(_request, _opened, { status = 200, headers = {}, content }, requestId) {
    const isText = typeof content === "string";
    const body = content === undefined ? "" : isText ? content : JSON.stringify(content);
    return { status, headers: { ...armHeaders(requestId), ...headers }, body };
  },
  renderError(request, refusal, requestId) {
    if (isTokenRequest(request)) return renderLoginError(refusal, requestId, Date.now());
    return renderArmError(refusal, requestId, `${request.origin}/common`);
  },
  async issueCredentials(tenant, { identity }, { secureAddress, caPem, region = "eastus", origin }) {
    const { tenantId, clientId, subscriptionId } = idsOf(tenant);
    const clientSecret = await issueClientSecret(identity, tenant, origin);
    return {
      environment: {
        AZURE_TENANT_ID: tenantId,
        AZURE_CLIENT_ID: clientId,
        AZURE_CLIENT_SECRET: clientSecret,
        AZURE_SUBSCRIPTION_ID: subscriptionId,
        AZURE_LOCATION: region,
        AZURE_AUTHORITY_HOST: secureAddress,
        AZURE_RESOURCE_MANAGER_ENDPOINT: secureAddress,
      },
      options: {
        tenantId,
        clientId,
        clientSecret,
        subscriptionId,
        resourceGroup: defaultGroup,
        location: region,
        endpoints: { resourceManager: secureAddress, authority: secureAddress },
        caPem,
      },
    };
  },
};

async function openManagementRequest(request: ApiRequest, deps: ServiceDeps): Promise<OpenedCall> {
  const caller = await authenticate(request, deps);
  const found = matchOperation(operations, request);
  const query = new URLSearchParams(request.rawQuery);
  if (found === undefined) {
    const message = `${request.method} ${request.rawPath.slice(0, 500)} is not simulated.`;
    refuse("NotFound", message, 404);
  }
  checkVersion(query);
  const subscription = await findSubscription(caller, found.parameters["subscriptionId"], deps);
  const parameters = { ...found.parameters, ...(subscription === "" ? {} : { subscriptionId: subscription }) };
  // Azure deletes a resource group with everything in it. Only Terraform's provider refuses to delete a group that is not empty.
  const features = [{ resource_group: [{ prevent_deletion_if_contains_resources: false }] }];
  return {
    operation: found.operation,
    parameters,
    headers: Object.fromEntries(request.headers.filter(([name]) => name === "if-match" || name === "if-none-match")),
    query,
    body: parseBody(request.body),
    caller,
    provider: { subscription_id: subscription || idsOf(caller.tenant).subscriptionId, features },
  };
}

/**
 * Returns the subscription of a request. Callers can access their own subscription and those in which Terraform created resource groups.
 */
async function findSubscription({ tenant }: Caller, asked: string | undefined, { inventory }: ServiceDeps): Promise<string> {
  if (asked === undefined) return "";
  const wanted = asked.toLowerCase();
  if (wanted === idsOf(tenant).subscriptionId) return wanted;
  const groups = await inventory.list(tenant, "azurerm_resource_group");
  const other = groups.map(({ id }) => id.split("/")[2] ?? "").find((each) => each.toLowerCase() === wanted);
  return other ?? refuse("SubscriptionNotFound", `The subscription '${asked.slice(0, 100)}' could not be found.`, 404);
}

import { listRegions } from "../../cloud/regions.ts";
import { ApiError } from "../../api/api-error.ts";
import type { ApiOperation, ApiRequest, ApiService, OpenedCall } from "../../api/api-service.ts";
import { checkSizes } from "./check-sizes.ts";
import { admit, authenticate, issueKeys } from "./credentials.ts";
import { ec2Operations } from "./ec2/operations.ts";
import { eksOperations } from "./eks/operations.ts";
import { refuseAuth, type Protocol } from "./errors.ts";
import { iamOperations } from "./iam/operations.ts";
import { parseQuery, renderQueryAnswer, renderQueryError } from "./query-protocol.ts";
import { matchRest, parseRestBody, renderRestAnswer, renderRestError } from "./rest-json.ts";
import { hasMoreParts, headerOf, listQuery, parseSignature } from "./sigv4.ts";
import { authenticateWebIdentity, stsOperations } from "./sts/operations.ts";

interface AwsService {
  readonly protocol: Protocol;
  readonly operations: readonly ApiOperation[];
}

/** The simulated services, keyed by the name in the credential scope. */
const services: Readonly<Record<string, AwsService>> = {
  eks: { protocol: "rest-json", operations: eksOperations },
  ec2: { protocol: "ec2", operations: ec2Operations },
  iam: { protocol: "query", operations: iamOperations },
  sts: { protocol: "query", operations: stsOperations },
};

/** The AWS API: EKS, EC2, IAM and STS. The service and the region of a request are in its credential scope. */
export const awsApi: ApiService = {
  claims: (request) =>
    headerOf(request, "authorization").startsWith("AWS4-") ||
    ["amz-sdk-invocation-id", "x-amz-date", "x-amz-target"].some((name) => headerOf(request, name) !== "") ||
    /(^|&)(X-Amz-Algorithm|X-Amz-Signature|Action)=/.test(request.rawQuery) ||
    (isForm(request) && /(^|&)Action=/.test(request.body.toString("latin1"))),
  credentialOf(head) {
    const signature = parseSignature(head);
    return signature === undefined || signature === "incomplete" ? "" : signature.accessKeyId;
  },
  async admit(head, deps) {
    if (parseSignature(head) !== undefined) await admit(head, getService(serviceOf(head)).protocol, deps);
  },
  async open(request, deps) {
    const name = serviceOf(request);
    const service = getService(name);
    const isSigned = parseSignature(request) !== undefined;
    if (!isSigned && name === "sts" && formOf(request).get("Action") === "AssumeRoleWithWebIdentity") {
      const asked = findOperation(service, request);
      return { ...asked, caller: await authenticateWebIdentity(asked.body, deps), provider: { region: "us-east-1" } };
    }
    const caller = await authenticate(request, service.protocol, deps);
    const { region, service: signed } = caller.signature;
    if (signed !== name || !listRegions("aws").includes(region)) {
      const message = "Credential should be scoped to a valid region and to the service.";
      throw new ApiError(refuseAuth("wrong_scope", service.protocol, message));
    }
    const found = findOperation(service, request);
    checkSizes(found.body);
    return { ...found, caller, provider: { region } };
  },
  renderAnswer(request, { operation }, answer, requestId) {
    const name = serviceOf(request);
    return getService(name).protocol === "rest-json"
      ? renderRestAnswer(answer, requestId)
      : renderQueryAnswer(name, operation.name, answer, requestId);
  },
  renderError(request, refusal, requestId) {
    const name = serviceOf(request);
    return Object.hasOwn(services, name) && services[name]?.protocol !== "rest-json"
      ? renderQueryError(name, refusal, requestId)
      : renderRestError(refusal, requestId);
  },
  async issueCredentials(tenant, { identity }, { address, region = "us-east-1", origin }) {
    const { accessKeyId, secretAccessKey } = await issueKeys(identity, tenant, origin);
    return {
      environment: {
        AWS_ACCESS_KEY_ID: accessKeyId,
        AWS_SECRET_ACCESS_KEY: secretAccessKey,
        AWS_REGION: region,
        AWS_DEFAULT_REGION: region,
        AWS_ENDPOINT_URL: address,
      },
      options: { accessKeyId, secretAccessKey, region, endpoints: { all: address } },
    };
  },
};

// An unsigned request identifies its service only by the API version.
const versions: Readonly<Record<string, string>> = { "2016-11-15": "ec2", "2010-05-08": "iam", "2011-06-15": "sts" };

function serviceOf(request: ApiRequest): string {
  const signature = parseSignature(request);
  if (signature !== undefined && signature !== "incomplete") return signature.service;
  return versions[formOf(request).get("Version") ?? ""] ?? "eks";
}

function getService(name: string): AwsService {
  const service = Object.hasOwn(services, name) ? services[name] : undefined;
  if (service !== undefined) return service;
  throw new ApiError({ code: "UnknownOperationException", message: `The service ${name} is not simulated.`, status: 404 });
}

function findOperation(
  { protocol, operations }: AwsService,
  request: ApiRequest,
): Pick<OpenedCall, "operation" | "parameters" | "query" | "body"> {
  const query = new URLSearchParams(listQuery(request.rawQuery).map(([name, value]): [string, string] => [name, value]));
  if (protocol === "rest-json") {
    const found = matchRest(operations, request);
    if (found !== undefined) return { ...found, query, body: parseRestBody(request.body) };
    const message = `${request.method} ${request.rawPath} is not simulated.`;
    throw new ApiError({ code: "UnknownOperationException", message, status: 404 });
  }
  if (hasMoreParts(formTextOf(request), "&", mostFormPairs)) {
    const message = `The request has more than ${mostFormPairs} parameters.`;
    throw new ApiError({ code: "MalformedQueryString", message, status: 400 });
  }
  const form = formOf(request);
  const action = form.get("Action") ?? "";
  const operation = operations.find(({ match }) => "action" in match && match.action === action);
  if (operation !== undefined) return { operation, parameters: {}, query, body: parseQuery(form) };
  throw new ApiError({ code: "InvalidAction", message: `The action ${action} is not valid for this endpoint.`, status: 400 });
}

const mostFormPairs = 5000;
const forms = new WeakMap<ApiRequest, URLSearchParams>();

/** Returns the parsed form of a request. Each request is parsed only once. A form with too many parameters is treated as empty. */
function formOf(request: ApiRequest): URLSearchParams {
  const known = forms.get(request);
  if (known !== undefined) return known;
  const text = formTextOf(request);
  const form = new URLSearchParams(hasMoreParts(text, "&", mostFormPairs) ? "" : text);
  forms.set(request, form);
  return form;
}

function formTextOf(request: ApiRequest): string {
  return isForm(request) ? request.body.toString("utf8") : request.rawQuery;
}

function isForm(request: ApiRequest): boolean {
  return request.method === "POST" && headerOf(request, "content-type").startsWith("application/x-www-form-urlencoded");
}

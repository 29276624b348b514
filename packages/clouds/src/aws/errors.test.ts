import { Fault } from "@cloudwright/platform";
import { expect, test } from "vitest";
import { cloudsFaults } from "../faults.ts";
import { isCloudFault, type ErrorCategory } from "../library/errors.ts";
import { findApiModel } from "../testing/find-api-model.ts";
import { toLibraryFault } from "./errors.ts";

const refuse = (name: string, httpStatusCode = 400, message = "no"): Error =>
  Object.assign(new Error(message), { name, $metadata: { httpStatusCode, requestId: "request-1" } });

const cases: readonly (readonly [ErrorCategory, ...string[]])[] = [
  [
    "auth",
    "InvalidClientTokenId",
    "SignatureDoesNotMatch",
    "ExpiredToken",
    "AuthFailure",
    "RequestExpired",
    "RequestTimeTooSkewed",
  ],
  ["denied", "AccessDenied", "AccessDeniedException", "UnauthorizedOperation", "OptInRequired"],
  [
    "quota",
    "ResourceLimitExceededException",
    "VcpuLimitExceeded",
    "InstanceLimitExceeded",
    "LimitExceeded",
    "InsufficientInstanceCapacity",
  ],
  [
    "not_found",
    "ResourceNotFoundException",
    "NoSuchEntity",
    "NoSuchEntityException",
    "InvalidInstanceID.NotFound",
    "InvalidAMIID.NotFound",
  ],
  ["throttled", "ThrottlingException", "Throttling", "RequestLimitExceeded", "TooManyRequestsException"],
  [
    "conflict",
    "ResourceInUseException",
    "EntityAlreadyExists",
    "DependencyViolation",
    "IncorrectInstanceState",
    "IdempotentParameterMismatch",
  ],
  [
    "invalid",
    "InvalidParameterException",
    "InvalidParameterValue",
    "ValidationError",
    "MalformedPolicyDocument",
    "InvalidSubnetID.Malformed",
  ],
  ["unavailable", "ServiceUnavailableException", "InternalError", "ServerException"],
];

test.each(cases)("M149 %s: AWS's codes are mapped", (category, ...names) => {
  for (const name of names)
    expect([name, toLibraryFault(refuse(name), "test").extra]).toEqual([
      name,
      expect.objectContaining({ cloud: "aws", category, nativeCode: name, status: 400, requestId: "request-1" }),
    ]);
});

test("M149 every error in the EKS model has a category other than unavailable, except server errors", () => {
  const probe = findApiModel("aws/eks.json");
  const { shapes } = (probe.found ? probe.model : { shapes: {} }) as {
    shapes: Record<string, { exception?: boolean; error?: { httpStatusCode?: number } }>;
  };
  for (const [name, shape] of Object.entries(shapes).filter(([, { exception }]) => exception === true)) {
    const { category } = toLibraryFault(refuse(name, shape.error?.httpStatusCode ?? 400), "test").extra;
    expect([name, category === "unavailable"]).toEqual([name, /Server|Unavailable/.test(name)]);
  }
});

test("M149 the HTTP status decides the category of unknown codes, and no response means unavailable", () => {
  expect(toLibraryFault(refuse("SomethingNew", 418), "test").extra.category).toBe("invalid");
  expect(toLibraryFault(refuse("SomethingNew", 500), "test").extra.category).toBe("unavailable");
  expect(toLibraryFault(refuse("SomethingNew", 429), "test").extra.category).toBe("throttled");
  const reset = Object.assign(new Error("socket hang up"), { code: "ECONNRESET" });
  expect(toLibraryFault(reset, "test")).toMatchObject({
    code: "clouds.unreachable",
    extra: { category: "unavailable", status: 0 },
  });
  for (const thrown of [undefined, null, "text", {}, 5])
    expect(isCloudFault(toLibraryFault(thrown, "test"), "unavailable")).toBe(true);
});

test("M149 missing capacity is distinguished from an exceeded quota", () => {
  expect(toLibraryFault(refuse("InsufficientInstanceCapacity", 500), "test").extra).toMatchObject({
    category: "quota",
    isCapacity: true,
  });
  expect(toLibraryFault(refuse("VcpuLimitExceeded"), "test").extra).toMatchObject({ category: "quota", isCapacity: false });
});

test("M149 the message mentions a wrong clock", () => {
  expect(toLibraryFault(refuse("RequestTimeTooSkewed", 403), "test").message).toContain("Check this machine's clock");
});

test("M151 faults from a credential source keep their code and get a category", () => {
  const fault = new Fault(cloudsFaults.role_refused, "refused", { cause: refuse("AccessDenied", 403) });
  expect(toLibraryFault(fault, "test")).toMatchObject({
    code: "clouds.role_refused",
    extra: { category: "auth", nativeCode: "AccessDenied", requestId: "request-1" },
  });
});

test("M149 a malformed response is not kept, because it may contain credentials", () => {
  const error = Object.assign(new Error("XML parse error"), { $responseBodyText: "<SecretAccessKey>canary" });
  const fault = toLibraryFault(error, "test");
  expect(fault.extra.category).toBe("unavailable");
  expect(JSON.stringify([fault.message, fault.cause])).not.toContain("canary");
});

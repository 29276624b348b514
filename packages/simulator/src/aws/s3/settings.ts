import type { HookContext } from "../../provider/definition.ts";
import { isList } from "../../values/value.ts";
import { blockOf, mapOf, textOf } from "../../values/read-value.ts";
import type { Refusal } from "../refusal.ts";
import type { AwsChange, AwsResource } from "../resource.ts";
import { ofBucket } from "./buckets.ts";

type Special = Partial<Pick<AwsResource, "defaults" | "check" | "compute">>;

/** Creates the resource type of a bucket setting. Its id is the bucket's name, so a bucket has each setting at most once. */
function createSetting(noun: string, call: string, special: Special = {}): AwsResource {
  return {
    service: "S3",
    noun: `Bucket ${noun}`,
    calls: { create: `PutBucket${call}`, update: `PutBucket${call}`, delete: `DeleteBucket${call}` },
    id: (planned) => textOf(planned["bucket"]),
    forceNew: ["bucket"],
    names: [ofBucket],
    ...special,
  };
}

/** The S3 bucket setting resource types. */
export const settings = {
  aws_s3_bucket_versioning: createSetting("Versioning", "Versioning", {
    compute: ({ planned }) => ({
      versioning_configuration: [{ mfa_delete: textOf(blockOf(planned, "versioning_configuration")["mfa_delete"]) }],
    }),
    async check({ operation, prior, planned }, context) {
      if (operation !== "update") return [];
      if (statusOf(prior) !== "Disabled" && statusOf(planned) === "Disabled")
        return [
          { code: "IllegalVersioningConfigurationException", message: "A bucket's versioning can be suspended, not disabled." },
        ];
      const id = textOf(planned["bucket"]);
      const lock = await context.find({ type: "aws_s3_bucket_object_lock_configuration", id });
      if (lock === undefined || statusOf(planned) === "Enabled") return [];
      const message = "An Object Lock configuration is present on this bucket, so the versioning state cannot be changed.";
      return [{ code: "InvalidBucketState", message, status: 409 }];
    },
  }),
  aws_s3_bucket_server_side_encryption_configuration: createSetting("Server-side Encryption Configuration", "Encryption", {
    compute: ({ planned }) => {
      const rules = planned["rule"];
      return { rule: (isList(rules) ? rules : []).map(() => ({ bucket_key_enabled: false, blocked_encryption_types: [] })) };
    },
  }),
  aws_s3_bucket_public_access_block: createSetting("Public Access Block", "PublicAccessBlock", {
    defaults: {
      block_public_acls: false,
      block_public_policy: false,
      ignore_public_acls: false,
      restrict_public_buckets: false,
    },
  }),
  aws_s3_bucket_lifecycle_configuration: createSetting("Lifecycle Configuration", "LifecycleConfiguration", {
    compute: () => ({ transition_default_minimum_object_size: "all_storage_classes_128K" }),
    check: ({ operation, planned }) => {
      const rules = planned["rule"];
      const ids = (isList(rules) ? rules : []).map((rule) => textOf(mapOf(rule)["id"]));
      const isTwin = operation !== "delete" && new Set(ids).size < ids.length;
      return isTwin ? [{ code: "InvalidArgument", message: "Rule ID must be unique. Found same ID for more than one rule" }] : [];
    },
  }),
  aws_s3_bucket_policy: createSetting("Policy", "Policy", { check: checkPolicy }),
  aws_s3_bucket_replication_configuration: createSetting("Replication Configuration", "Replication", {
    async check({ operation, planned }, context) {
      if (operation === "delete") return [];
      const versioning = await context.find({ type: "aws_s3_bucket_versioning", id: textOf(planned["bucket"]) });
      if (versioning !== undefined && statusOf(versioning.attributes) === "Enabled") return [];
      const message = "Versioning must be 'Enabled' on the bucket to apply a replication configuration";
      return [{ code: "InvalidRequest", message }];
    },
  }),
  aws_s3_bucket_ownership_controls: createSetting("Ownership Controls", "OwnershipControls"),
  aws_s3_bucket_acl: createSetting("ACL", "Acl", {
    async check({ operation, planned }, context) {
      if (operation === "delete") return [];
      const controls = await context.find({ type: "aws_s3_bucket_ownership_controls", id: textOf(planned["bucket"]) });
      const ownership = textOf(blockOf(controls?.attributes, "rule")["object_ownership"]);
      const isAllowed = ownership === "BucketOwnerPreferred" || ownership === "ObjectWriter";
      return isAllowed ? [] : [{ code: "AccessControlListNotSupported", message: "The bucket does not allow ACLs" }];
    },
  }),
  aws_s3_bucket_cors_configuration: createSetting("CORS Configuration", "Cors"),
  aws_s3_bucket_logging: createSetting("Logging", "Logging"),
  aws_s3_bucket_notification: createSetting("Notification", "NotificationConfiguration"),
  aws_s3_bucket_object_lock_configuration: createSetting("Object Lock Configuration", "ObjectLockConfiguration", {
    async check({ operation, planned }, context) {
      if (operation === "delete") return [];
      const versioning = await context.find({ type: "aws_s3_bucket_versioning", id: textOf(planned["bucket"]) });
      if (versioning !== undefined && statusOf(versioning.attributes) === "Enabled") return [];
      const message = "Versioning must be 'Enabled' on the bucket to apply a Object Lock configuration";
      return [{ code: "InvalidBucketState", message, status: 409 }];
    },
  }),
  aws_s3_bucket_accelerate_configuration: createSetting("Accelerate Configuration", "AccelerateConfiguration"),
  aws_s3_bucket_request_payment_configuration: createSetting("Request Payment Configuration", "RequestPayment"),
  aws_s3_bucket_website_configuration: createSetting("Website Configuration", "Website"),
} as const;

function statusOf(attributes: AwsChange["planned"]): string {
  return textOf(blockOf(attributes, "versioning_configuration")["status"]);
}

interface Statement {
  readonly Effect?: string;
  readonly Principal?: unknown;
  readonly Condition?: unknown;
}

async function checkPolicy({ operation, planned }: AwsChange, context: HookContext): Promise<readonly Refusal[]> {
  if (operation === "delete") return [];
  const statements = parseStatements(textOf(planned["policy"]));
  if (statements === undefined) {
    return [{ code: "MalformedPolicy", message: "This policy contains invalid Json", path: ["policy"] }];
  }
  const isPublic = statements.some(
    ({ Effect, Principal, Condition }) =>
      Effect === "Allow" && Condition === undefined && ['"*"', '{"AWS":"*"}'].includes(JSON.stringify(Principal)),
  );
  const block = await context.find({ type: "aws_s3_bucket_public_access_block", id: textOf(planned["bucket"]) });
  if (!isPublic || block?.attributes["block_public_policy"] !== true) return [];
  const message =
    "User is not authorized to perform: s3:PutBucketPolicy because public policies are prevented by the BlockPublicPolicy setting in S3 Block Public Access.";
  return [{ code: "AccessDenied", message, status: 403 }];
}

function parseStatements(text: string): readonly Statement[] | undefined {
  try {
    const { Statement } = JSON.parse(text) as { Statement?: Statement | Statement[] };
    return Statement === undefined ? [] : [Statement].flat();
  } catch {
    return undefined;
  }
}

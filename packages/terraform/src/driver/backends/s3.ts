import { Fault, type ReadonlyJsonObject, Secret } from "@cloudwright/platform";
import { terraformFaults } from "../../faults.ts";
import { requireSetting, type Backend } from "./backend.ts";

/** State in an S3 bucket or a compatible service. */
export interface S3BackendSettings {
  readonly bucket: string;
  readonly key: string;
  readonly region: string;
  /**
   * `lockfile`, an object next to the state, requires Terraform 1.10. Older versions require a DynamoDB table. Locking cannot be disabled.
   */
  readonly lock?: "lockfile" | { readonly dynamodbTable: string };
  readonly kmsKeyId?: string;
  /** Default: the run's own credentials. The state may be in a different account from the resources. */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: Secret; readonly sessionToken?: Secret };
  readonly roleArn?: string;
  /** URL of a compatible service. */
  readonly endpoint?: string;
}

const profile = "cloudwright-state";

/**
 * Creates the backend. Credentials go into a separate profile file, because the providers would also use credentials from the environment.
 */
export function createS3Backend(state: S3BackendSettings): Backend {
  const { bucket, key, region, lock = "lockfile", kmsKeyId, credentials, roleArn, endpoint } = state;
  requireSetting("bucket", bucket, /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, "my-states");
  requireSetting("key", key, /^(?!.*(^|\/)\.{1,2}(\/|$))[\w!'()*.-]+(\/[\w!'()*.-]+)*$/, "networks/main.tfstate");
  requireSetting("region", region, /^[a-z0-9-]{2,40}$/, "eu-central-1");
  if (lock !== "lockfile") requireSetting("dynamodbTable", lock.dynamodbTable, /^[\w.-]{3,255}$/, "terraform-locks");
  if (kmsKeyId !== undefined) requireSetting("kmsKeyId", kmsKeyId, /^[\w:/-]{1,2048}$/, "alias/states");
  if (roleArn !== undefined)
    requireSetting("roleArn", roleArn, /^arn:[\w:/+=,.@-]{1,2040}$/, "arn:aws:iam::123456789012:role/states");
  if (endpoint !== undefined) requireSetting("endpoint", endpoint, /^https?:\/\/[^\s@]+$/, "https://s3.example.org");
  return {
    type: "s3",
    settings: {
      bucket,
      key,
      region,
      encrypt: true,
      ...(lock === "lockfile" ? { use_lockfile: true } : { dynamodb_table: lock.dynamodbTable }),
      ...(kmsKeyId === undefined ? {} : { kms_key_id: kmsKeyId }),
      ...(roleArn === undefined ? {} : { assume_role: { role_arn: roleArn } }),
      ...(credentials === undefined ? {} : { profile }),
      ...(endpoint === undefined ? {} : renderEndpoint(endpoint)),
    },
    ...(credentials === undefined ? {} : { secretFiles: { AWS_SHARED_CREDENTIALS_FILE: renderProfile(credentials) } }),
  };
}

// Disables checks that work only with AWS itself.
function renderEndpoint(endpoint: string): ReadonlyJsonObject {
  return {
    endpoints: { s3: endpoint, dynamodb: endpoint, sts: endpoint, iam: endpoint },
    use_path_style: true,
    skip_credentials_validation: true,
    skip_metadata_api_check: true,
    skip_region_validation: true,
    skip_requesting_account_id: true,
  };
}

function renderProfile({ accessKeyId, secretAccessKey, sessionToken }: NonNullable<S3BackendSettings["credentials"]>): Secret {
  const values = {
    aws_access_key_id: accessKeyId,
    aws_secret_access_key: secretAccessKey.reveal(),
    ...(sessionToken === undefined ? {} : { aws_session_token: sessionToken.reveal() }),
  };
  // A line break would start another setting in the profile file.
  if (Object.values(values).some((value) => !/^[\x21-\x7e]+$/.test(value))) {
    throw new Fault(
      terraformFaults.bad_backend,
      "the credentials of the state backend contain characters that are not allowed in keys",
    );
  }
  return new Secret([`[${profile}]`, ...Object.entries(values).map(([name, value]) => `${name} = ${value}`), ""].join("\n"));
}

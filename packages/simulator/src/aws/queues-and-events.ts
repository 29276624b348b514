import { arnOf } from "./place.ts";
import { textOf } from "../values/read-value.ts";
import { makeId, type AwsResource } from "./resource.ts";
import type { ValueMap } from "../values/value.ts";

function nameOf(planned: ValueMap, nowMs: number): string {
  return textOf(planned["name"]) || `${textOf(planned["name_prefix"]) || "terraform-"}${makeId("", nowMs).slice(1)}`;
}

const queue: AwsResource = {
  service: "SQS",
  noun: "Queue",
  calls: { update: "SetQueueAttributes" },
  id: (planned, { region, account, suffix }, { nowMs }) => `https://sqs.${region}.${suffix}/${account}/${nameOf(planned, nowMs)}`,
  arn: (id, _attributes, place) => arnOf(place, "sqs", id.split("/").at(-1) ?? ""),
  forceNew: ["name", "name_prefix", "fifo_queue"],
  defaults: {
    content_based_deduplication: false,
    delay_seconds: 0,
    fifo_queue: false,
    max_message_size: 262_144,
    message_retention_seconds: 345_600,
    receive_wait_time_seconds: 0,
    visibility_timeout_seconds: 30,
  },
  takes: { create: 25, delete: 25 },
  check: async ({ operation, id }, context) =>
    operation === "create" && (await context.find({ type: "aws_sqs_queue", id })) !== undefined
      ? [
          {
            code: "QueueAlreadyExists",
            message: "A queue already exists with the same name and a different value for an attribute",
          },
        ]
      : [],
  compute: ({ id }) => ({
    name: id.split("/").at(-1) ?? "",
    url: id,
    kms_data_key_reuse_period_seconds: 300,
    sqs_managed_sse_enabled: true,
  }),
};

const queuePolicy: AwsResource = {
  service: "SQS",
  noun: "Queue Policy",
  calls: { create: "SetQueueAttributes", update: "SetQueueAttributes", delete: "SetQueueAttributes" },
  id: (planned) => textOf(planned["queue_url"]),
  forceNew: ["queue_url"],
  names: [
    {
      path: "queue_url",
      to: ["aws_sqs_queue"],
      missing: () => ({
        code: "AWS.SimpleQueueService.NonExistentQueue",
        message: "The specified queue does not exist for this wsdl version.",
      }),
      tie: "follows",
    },
  ],
};

const rule: AwsResource = {
  service: "EventBridge",
  noun: "Rule",
  calls: { create: "PutRule", update: "PutRule", delete: "DeleteRule" },
  id: (planned, _place, { nowMs }) => {
    const bus = textOf(planned["event_bus_name"]) || "default";
    const name = nameOf(planned, nowMs);
    return bus === "default" ? name : `${bus}/${name}`;
  },
  arn: (id, _attributes, place) => arnOf(place, "events", `rule/${id}`),
  forceNew: ["name", "name_prefix", "event_bus_name"],
  defaults: { event_bus_name: "default", state: "ENABLED", force_destroy: false },
  held: () => ({ code: "ValidationException", message: "Rule can't be deleted since it has targets." }),
  check: ({ operation, planned }) => {
    const pattern = textOf(planned["event_pattern"]);
    const schedule = textOf(planned["schedule_expression"]);
    if (operation === "delete") return [];
    if (pattern === "" && schedule === "") {
      return [{ code: "ValidationException", message: "Parameter(s) EventPattern or ScheduleExpression must be specified." }];
    }
    return pattern === "" || isJson(pattern)
      ? []
      : [{ code: "InvalidEventPatternException", message: "Event pattern is not valid. Reason: Filter is not an object" }];
  },
  compute: ({ id }) => ({ name: id.split("/").at(-1) ?? "" }),
};

const target: AwsResource = {
  service: "EventBridge",
  noun: "Target",
  calls: { create: "PutTargets", update: "PutTargets", delete: "RemoveTargets" },
  id: (planned, _place, { nowMs }) => `${textOf(planned["rule"])}-${textOf(planned["target_id"]) || makeId("terraform", nowMs)}`,
  forceNew: ["rule", "target_id", "event_bus_name"],
  defaults: { event_bus_name: "default", force_destroy: false },
  names: [
    {
      path: "rule",
      to: ["aws_cloudwatch_event_rule"],
      missing: (name) => ({
        code: "ResourceNotFoundException",
        message: `Rule ${name} does not exist on EventBus default.`,
      }),
      tie: "holds",
    },
  ],
  compute: ({ id, planned }) => ({ target_id: id.slice(textOf(planned["rule"]).length + 1) }),
};

function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === "object";
  } catch {
    return false;
  }
}

/** The SQS and EventBridge resource types. */
export const queuesAndEvents = {
  aws_sqs_queue: queue,
  aws_sqs_queue_policy: queuePolicy,
  aws_cloudwatch_event_rule: rule,
  aws_cloudwatch_event_target: target,
} as const;

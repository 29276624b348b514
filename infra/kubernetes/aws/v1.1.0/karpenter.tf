locals {
  with_karpenter          = toset(var.karpenter.enabled ? ["made"] : [])
  made_for_karpenter      = toset(var.karpenter.enabled && var.roles.karpenter == null ? ["made"] : [])
  made_for_its_nodes      = toset(var.karpenter.enabled && var.roles.karpenter_nodes == null ? ["made"] : [])
  karpenter_role_arn      = var.roles.karpenter == null ? one(values(aws_iam_role.karpenter)[*].arn) : var.roles.karpenter
  karpenter_node_role_arn = var.roles.karpenter_nodes == null ? one(values(aws_iam_role.karpenter_nodes)[*].arn) : var.roles.karpenter_nodes
  # These names and ARNs are computed from the cluster's name, so that policies that contain them are known before the resources
  # exist and do not change when the resources do.
  queue_name           = "${local.name}-karpenter"
  queue_arn            = "arn:${local.partition}:sqs:${var.region}:${local.account}:${local.queue_name}"
  karpenter_node_name  = "${local.name}-karpenter-node"
  karpenter_passed_arn = var.roles.karpenter_nodes == null ? "arn:${local.partition}:iam::${local.account}:role${var.role_path}${local.karpenter_node_name}" : var.roles.karpenter_nodes
  # Events that announce the interruption or rebalancing of instances.
  interruptions = {
    health    = { source = "aws.health", type = "AWS Health Event" }
    spot      = { source = "aws.ec2", type = "EC2 Spot Instance Interruption Warning" }
    rebalance = { source = "aws.ec2", type = "EC2 Instance Rebalance Recommendation" }
    state     = { source = "aws.ec2", type = "EC2 Instance State-change Notification" }
    reserved  = { source = "aws.ec2", type = "EC2 Capacity Reservation Instance Interruption Warning" }
  }
  rules = { for key, rule in local.interruptions : key => rule if var.karpenter.enabled }
}

resource "aws_iam_role" "karpenter" {
  for_each             = local.made_for_karpenter
  name                 = "${local.name}-karpenter"
  path                 = var.role_path
  permissions_boundary = var.permissions_boundary_arn
  assume_role_policy   = data.aws_iam_policy_document.pod_trust.json
  tags                 = merge(local.tags, { "cloudwright:part" = "karpenter/${each.key}" })
}

resource "aws_iam_role_policy" "karpenter" {
  for_each = local.made_for_karpenter
  name     = "karpenter"
  role     = aws_iam_role.karpenter[each.key].name
  policy   = data.aws_iam_policy_document.karpenter[each.key].json
}

resource "aws_iam_role" "karpenter_nodes" {
  for_each             = local.made_for_its_nodes
  name                 = local.karpenter_node_name
  path                 = var.role_path
  permissions_boundary = var.permissions_boundary_arn
  assume_role_policy   = data.aws_iam_policy_document.trust["ec2"].json
  tags                 = merge(local.tags, { "cloudwright:part" = "karpenter_nodes/${each.key}" })
}

resource "aws_iam_role_policy_attachment" "karpenter_nodes" {
  for_each   = toset(length(local.made_for_its_nodes) > 0 ? concat(local.every_node_policy, ["AmazonEC2ContainerRegistryPullOnly"]) : [])
  role       = aws_iam_role.karpenter_nodes["made"].name
  policy_arn = "${local.policy}/${each.key}"
}

resource "aws_sqs_queue" "karpenter" {
  for_each                  = local.with_karpenter
  name                      = local.queue_name
  message_retention_seconds = 300
  sqs_managed_sse_enabled   = true
  tags                      = merge(local.tags, { "cloudwright:part" = "karpenter/${each.key}" })
}

data "aws_iam_policy_document" "queue" {
  for_each = local.with_karpenter
  statement {
    sid       = "Events"
    actions   = ["sqs:SendMessage"]
    resources = [local.queue_arn]
    principals {
      type        = "Service"
      identifiers = ["events.amazonaws.com", "sqs.amazonaws.com"]
    }
  }
  statement {
    sid       = "TlsOnly"
    effect    = "Deny"
    actions   = ["sqs:*"]
    resources = [local.queue_arn]
    principals {
      type        = "*"
      identifiers = ["*"]
    }
    condition {
      test     = "Bool"
      variable = "aws:SecureTransport"
      values   = ["false"]
    }
  }
}

resource "aws_sqs_queue_policy" "karpenter" {
  for_each  = local.with_karpenter
  queue_url = aws_sqs_queue.karpenter[each.key].url
  policy    = data.aws_iam_policy_document.queue[each.key].json
}

resource "aws_cloudwatch_event_rule" "karpenter" {
  for_each      = local.rules
  name          = "${local.name}-${each.key}"
  description   = "${each.value.type}, for Karpenter in ${local.name}"
  event_pattern = jsonencode({ source = [each.value.source], "detail-type" = [each.value.type] })
  tags          = merge(local.tags, { "cloudwright:part" = "karpenter/${each.key}" })
}

resource "aws_cloudwatch_event_target" "karpenter" {
  for_each  = local.rules
  rule      = aws_cloudwatch_event_rule.karpenter[each.key].name
  target_id = "karpenter"
  arn       = aws_sqs_queue.karpenter["made"].arn
}

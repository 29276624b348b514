locals {
  logged    = toset(var.flow_logs == null ? [] : local.made)
  logs_name = "${trimsuffix(substr(var.vpc_name, 0, 40), "-")}-flow-logs-${local.short}"
}

data "aws_caller_identity" "this" {
  for_each = local.logged
}

resource "aws_cloudwatch_log_group" "flow_logs" {
  for_each          = local.logged
  name              = "/cloudwright/${local.logs_name}"
  retention_in_days = var.flow_logs.retention_days
  tags              = merge(local.tags, { Name = local.logs_name, "cloudwright:part" = "flow_logs/${each.key}" })
}

resource "aws_iam_role" "flow_logs" {
  for_each = local.logged
  name     = local.logs_name
  assume_role_policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect    = "Allow"
      Principal = { Service = "vpc-flow-logs.amazonaws.com" }
      Action    = "sts:AssumeRole"
      # Prevents other accounts from delivering logs with this role.
      Condition = { StringEquals = { "aws:SourceAccount" = data.aws_caller_identity.this[each.key].account_id } }
    }]
  })
  tags = merge(local.tags, { Name = local.logs_name, "cloudwright:part" = "flow_logs/${each.key}" })
}

resource "aws_iam_role_policy" "flow_logs" {
  for_each = local.logged
  name     = "write"
  role     = aws_iam_role.flow_logs[each.key].name
  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect   = "Allow"
      Action   = ["logs:CreateLogStream", "logs:DescribeLogGroups", "logs:DescribeLogStreams", "logs:PutLogEvents"]
      Resource = [aws_cloudwatch_log_group.flow_logs[each.key].arn, "${aws_cloudwatch_log_group.flow_logs[each.key].arn}:*"]
    }]
  })
}

resource "aws_flow_log" "this" {
  for_each        = local.logged
  vpc_id          = aws_vpc.this[each.key].id
  traffic_type    = "ALL"
  iam_role_arn    = aws_iam_role.flow_logs[each.key].arn
  log_destination = aws_cloudwatch_log_group.flow_logs[each.key].arn
  tags            = merge(local.tags, { Name = local.logs_name, "cloudwright:part" = "this/${each.key}" })
  depends_on      = [aws_iam_role_policy.flow_logs]
}

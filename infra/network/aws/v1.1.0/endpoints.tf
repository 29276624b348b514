locals {
  services = { for service in var.interface_endpoints : service => service }
  # Endpoints are placed in the worker subnets, or, if there are none, in the first kind of subnet that exists.
  endpoint_subnets = try([for role in ["private", "intra", "public"] : role if length(local.ranges[role]) > 0][0], "private")
  # All endpoints share one security group.
  endpoint_groups = toset(length(local.services) > 0 ? ["network"] : [])
}

resource "aws_vpc_endpoint" "s3" {
  for_each          = toset(var.s3_endpoint ? local.made : [])
  vpc_id            = aws_vpc.this[each.key].id
  service_name      = "com.amazonaws.${var.region}.s3"
  vpc_endpoint_type = "Gateway"
  route_table_ids = concat(
    [aws_route_table.public[each.key].id, aws_route_table.intra[each.key].id],
    [for zone in sort(keys(local.private)) : aws_route_table.private[zone].id],
  )
  tags = merge(local.tags, { Name = "${var.vpc_name}-s3", "cloudwright:part" = "s3/${each.key}" })
}

resource "aws_vpc_endpoint" "service" {
  for_each            = local.services
  vpc_id              = aws_vpc.this["network"].id
  service_name        = "com.amazonaws.${var.region}.${each.key}"
  vpc_endpoint_type   = "Interface"
  private_dns_enabled = true
  subnet_ids          = local.subnet_ids[local.endpoint_subnets]
  security_group_ids  = [aws_security_group.endpoints["network"].id]
  tags                = merge(local.tags, { Name = "${var.vpc_name}-${each.key}", "cloudwright:part" = "service/${each.key}" })
}

resource "aws_security_group" "endpoints" {
  for_each    = local.endpoint_groups
  name        = "${trimsuffix(substr(var.vpc_name, 0, 40), "-")}-endpoints-${local.short}"
  description = "Who may speak to the services of AWS from inside"
  vpc_id      = aws_vpc.this[each.key].id
  tags        = merge(local.tags, { Name = "${var.vpc_name}-endpoints", "cloudwright:part" = "endpoints/${each.key}" })
}

resource "aws_vpc_security_group_ingress_rule" "endpoints_secondary" {
  for_each          = toset(length(local.services) > 0 ? var.secondary_cidr_ranges : [])
  security_group_id = aws_security_group.endpoints["network"].id
  description       = "HTTPS from a secondary range of the network"
  cidr_ipv4         = each.key
  ip_protocol       = "tcp"
  from_port         = 443
  to_port           = 443
  tags              = merge(local.tags, { Name = "${var.vpc_name}-endpoints", "cloudwright:part" = "endpoints_secondary/${each.key}" })
}

resource "aws_vpc_security_group_ingress_rule" "endpoints" {
  for_each          = local.endpoint_groups
  security_group_id = aws_security_group.endpoints[each.key].id
  description       = "HTTPS from the network"
  cidr_ipv4         = var.cidr_range
  ip_protocol       = "tcp"
  from_port         = 443
  to_port           = 443
  tags              = merge(local.tags, { Name = "${var.vpc_name}-endpoints", "cloudwright:part" = "endpoints/${each.key}" })
}

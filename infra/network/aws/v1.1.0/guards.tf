locals {
  ranges = { public = local.public, private = local.private, intra = local.intra }
  subnet_ids = {
    public  = [for subnet in aws_subnet.public : subnet.id]
    private = [for subnet in aws_subnet.private : subnet.id]
    intra   = [for subnet in aws_subnet.intra : subnet.id]
  }
  # Protocols are in the format that AWS returns, so that plans show no spurious differences.
  protocols = { all = "-1", tcp = "6", udp = "17" }
  # Control plane subnets exchange traffic only within the network's own ranges and with the given peers.
  reach = { public = ["0.0.0.0/0"], private = ["0.0.0.0/0"], intra = concat([var.cidr_range], var.secondary_cidr_ranges, var.controlplane_peer_cidrs) }
  acl_rules = { for role, reach in local.reach : role => { for direction in ["in", "out"] : direction => concat(
    [for rule in var.network_acl_rules : rule if rule.subnets == role && rule.direction == direction],
    [for index, range in reach : { number = 32000 + index, action = "allow", protocol = "all", from_port = 0, to_port = 0, cidr = range }],
  ) } }
}

resource "aws_network_acl" "this" {
  for_each   = toset([for role, ranges in local.ranges : role if length(ranges) > 0])
  vpc_id     = aws_vpc.this["network"].id
  subnet_ids = local.subnet_ids[each.key]
  dynamic "ingress" {
    for_each = local.acl_rules[each.key].in
    content {
      rule_no    = ingress.value.number
      action     = ingress.value.action
      protocol   = local.protocols[ingress.value.protocol]
      from_port  = ingress.value.from_port
      to_port    = ingress.value.to_port
      cidr_block = ingress.value.cidr
    }
  }
  dynamic "egress" {
    for_each = local.acl_rules[each.key].out
    content {
      rule_no    = egress.value.number
      action     = egress.value.action
      protocol   = local.protocols[egress.value.protocol]
      from_port  = egress.value.from_port
      to_port    = egress.value.to_port
      cidr_block = egress.value.cidr
    }
  }
  tags = merge(local.tags, { Name = "${var.vpc_name}-${each.key}", "cloudwright:part" = "this/${each.key}" })
}

# Without rules, the default group blocks all traffic of resources that specify no group. Omitting the lists would leave existing
# rules in place.
resource "aws_default_security_group" "this" {
  for_each = local.made
  vpc_id   = aws_vpc.this[each.key].id
  ingress  = []
  egress   = []
  tags     = merge(local.tags, { Name = "${var.vpc_name}-default", "cloudwright:part" = "this/${each.key}" })
}

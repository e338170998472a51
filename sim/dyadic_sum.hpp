// Sums of parts in one fixed order, whoever computes which part and when.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

namespace tapalab {

/// A sum over a set of leaves (blocks of samples), numbered from 0. Node (level, index) is the sum
/// of leaves index 2^level .. (index+1) 2^level - 1, always computed as left child merged with
/// right child. The state is the canonical cover of the leaves present: as soon as both siblings
/// are there they become their parent. So the state, and the total, depend on the set of leaves
/// alone: any split into threads, shards or resumed runs, in any order, gives the same bits. A
/// contiguous range of n leaves takes at most 2 log2(n) + 2 nodes.
///
/// Value has `void merge(const Value&)`, where merging a default-constructed Value changes nothing.
template <class Value>
class DyadicSum {
 public:
  struct Node {
    unsigned level;
    std::uint64_t index;
    Value value;
  };

  /// Adds the node (level, index). Throws std::invalid_argument where some of its leaves are
  /// present.
  void insert(unsigned level, std::uint64_t index, Value value) {
    if (overlaps(level, index)) {
      throw std::invalid_argument("DyadicSum: a leaf was added twice");
    }
    while (true) {
      const auto sibling = nodes_.find((index ^ 1) << level);
      if (sibling == nodes_.end() || sibling->second.level != level) break;
      Value other = std::move(sibling->second.value);
      nodes_.erase(sibling);
      if ((index & 1) == 0) std::swap(value, other);
      other.merge(value);  // left.merge(right)
      value = std::move(other);
      index >>= 1;
      ++level;
    }
    nodes_.emplace(index << level, Node{level, index, std::move(value)});
  }

  /// Adds every node of another state.
  void insert(DyadicSum other) {
    for (auto& [first_leaf, node] : other.nodes_) {
      insert(node.level, node.index, std::move(node.value));
    }
  }

  /// The sum of all leaves present: the nodes of the cover, merged from the right. For leaves 0 ..
  /// n-1 that is the root of the tree in which the missing leaves on the right are empty.
  Value total() const {
    Value sum{};
    for (auto node = nodes_.rbegin(); node != nodes_.rend(); ++node) {
      Value left = node->second.value;
      left.merge(sum);
      sum = std::move(left);
    }
    return sum;
  }

  /// The cover, by ascending first leaf.
  std::vector<Node> nodes() const {
    std::vector<Node> cover;
    for (const auto& [first_leaf, node] : nodes_) cover.push_back(node);
    return cover;
  }

 private:
  bool overlaps(unsigned level, std::uint64_t index) const {
    const std::uint64_t first = index << level;
    const std::uint64_t last = first + ((std::uint64_t{1} << level) - 1);
    const auto after = nodes_.upper_bound(last);
    if (after == nodes_.begin()) return false;
    const auto& [node_first, node] = *std::prev(after);
    return node_first + ((std::uint64_t{1} << node.level) - 1) >= first;
  }

  std::map<std::uint64_t, Node> nodes_;  // by first leaf
};

}  // namespace tapalab

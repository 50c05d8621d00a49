// Through views to what has the elements.
#include "kernel/fusion/fusion.h"

enum { MOST_VIEWS = 8 };

static tn_status_t view_of(const tn_node_t* node, tn_arena_t* arena, tn_fusion_view_t* view) {
  tn_op_use_t use;
  const tn_view_t operand = view->view;
  TN_RETURN_IF_ERROR(tn__node_use(node, arena, &use));
  return tn__view_of_result(&use, &operand, &view->view, &view->is_view);
}

tn_status_t tn__fusion_trace(tn_value_t* value, const tn_view_t* arguments, tn_arena_t* arena,
                             tn_fusion_view_t* out_view) {
  const tn_node_t* chain[MOST_VIEWS];
  size_t length = 0;
  *out_view = (tn_fusion_view_t){.root = value, .is_view = true};
  while (length < MOST_VIEWS && out_view->root->node &&
         tn__op_makes_view(out_view->root->node->op)) {
    chain[length++] = out_view->root->node;
    out_view->root = out_view->root->node->operands[0];
  }
  // The offset of an argument is in the pointer that a run has.
  if (arguments && !out_view->root->node) {
    out_view->view.strides = arguments[out_view->root->index].strides;
  }
  while (length-- > 0 && out_view->is_view) {
    TN_RETURN_IF_ERROR(view_of(chain[length], arena, out_view));
  }
  return TN_OK;
}

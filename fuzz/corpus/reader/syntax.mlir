#a = dense<1> : tensor<2xi64>
#loc3 = loc("f":1:2)
!t = tensor<2xf32>
"builtin.module"() <{sym_name = "m"}> ({
  "func.func"() <{function_type = (!t) -> !t, sym_name = "main"}> ({
  ^bb0(%x: !t loc(#loc3)):
    %0 = "stablehlo.abs"(%x) {k = #a, l = #b} : (!t) -> !t loc(callsite("a"("b":1:2) at #loc))
    func.return %0#0 : !t loc(fused<"m">["a", unknown])
  }) : () -> ()
  func.func private @d(!t {k}, tensor<?x3xf32, #stablehlo.type_extensions<bounds = [4, ?]>>) -> (!t {r = unit})
  sdy.mesh @mesh = <["x"=2, "y"=2]> {s = 1}
}) : () -> ()
#b = sparse<[[0, 1], [1, 0]], [1.5, 0x7F]> : tensor<2x2xf32>
#loc = loc(unknown)
{-# dialect_resources: { builtin: { w: "0x040000000000803F" } } #-}

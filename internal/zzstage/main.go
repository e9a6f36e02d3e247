package main
import ("context";"fmt";"os";"time";"runtime/debug";"kumiki.dev/compiler";"kumiki.dev/solution";"kumiki.dev/spread";"cuelang.org/go/cue/cuecontext")
func main(){
 debug.SetGCPercent(400)
 dir:=os.Args[1]
 for i:=0;i<4;i++{
 t0:=time.Now()
 in:=compiler.Input{LoadInput:compiler.LoadInput{Dir:dir}}
 p,_:=compiler.Load(in.LoadInput)
 t1:=time.Now()
 ev:=spread.NewEvaluator(cuecontext.New())
 base,_:=spread.Base(ev,p.Root,spread.Overlay{})
 t2:=time.Now()
 tree,_:=spread.Run(ev,base,spread.Options{})
 t3:=time.Now()
 s,pr:=solution.Extract(tree,solution.Options{})
 t4:=time.Now()
 b,_:=s.Bytes()
 t5:=time.Now()
 fmt.Println("load",t1.Sub(t0),"base",t2.Sub(t1),"run",t3.Sub(t2),"extract",t4.Sub(t3),"bytes",t5.Sub(t4),len(b),len(pr), fmt.Sprintf("%+v",tree.Work))
 }
 _=context.Background
}
